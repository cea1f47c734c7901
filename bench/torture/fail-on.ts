const MAX_NAMED = 5;

/** Throws if there are problems, and names the first. */
export function failOn(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const rest = problems.length > MAX_NAMED ? `; and ${problems.length - MAX_NAMED} more` : '';
  throw new Error(problems.slice(0, MAX_NAMED).join('; ') + rest);
}
