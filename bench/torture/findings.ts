/** Prints figures line by line, and keeps what does not hold. */
export class Findings {
  readonly problems: string[] = [];

  report(what: string, facts: Readonly<Record<string, number | string>>): void {
    const named = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
    console.log(`${what.padEnd(34)} ${named.join(', ')}`);
  }

  expect(holds: boolean, what: string): void {
    if (!holds) this.problems.push(what);
  }
}
