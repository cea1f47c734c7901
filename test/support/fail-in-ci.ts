import { expect, it } from 'vitest';

/** Takes the place of tests whose server could not be had: it fails in CI, where they must run. */
export function failInCi(server: string): void {
  it(`has ${server} to test with, where CI runs`, () => {
    expect(process.env.CI ?? '').toBe('');
  });
}
