import fc from 'fast-check';
import { anyOperation } from './any-operation.ts';
import { difference, errorCodeOf, observed } from './observed.ts';
import { openWorlds, type TwoWorlds } from './open-world.ts';
import type { Operation } from './operation.ts';
import { world } from './world.ts';

export interface CheckOptions {
  /** How many pairs of registries. */
  readonly worlds: number;
  /** How many operations each of them gets. */
  readonly operations: number;
  /** The first pair has this seed, the next one the next number: a failure names its own. */
  readonly seed: number;
  /** Called after each pair, with the number of cases so far. */
  readonly onWorld?: (cases: number) => void;
}

/** Hidden entities are written between the operations too, so that nothing kept of an answer outlives them. */
const DISTURB_EVERY = 7;

/** A case is a registry, a hidden part, a caller and an operation. Throws at the first answer that differs. */
export async function checkNonInterference({ worlds, operations, seed, onWorld }: CheckOptions): Promise<number> {
  let cases = 0;
  for (let n = 0; n < worlds; n++) {
    cases += await checkWorld(seed + n, operations);
    onWorld?.(cases);
  }
  return cases;
}

async function checkWorld(seed: number, operations: number): Promise<number> {
  const [made] = fc.sample(fc.noBias(world), { seed, numRuns: 1 });
  const asked = fc.sample(fc.noBias(anyOperation), { seed, numRuns: operations });
  const both = await openWorlds(made!);
  let cases = 0;
  try {
    for (const [at, operation] of asked.entries()) {
      const found = await compare(both, operation, at);
      if (found !== null) throw new Error(`Seed ${seed}, operation ${at}: ${found}`);
      cases++;
    }
  } finally {
    await both.close();
  }
  return cases;
}

/** Null if both answers are equal. */
async function compare(both: TwoWorlds, { named, creates, run }: Operation, at: number): Promise<string | null> {
  both.without.at(at);
  both.with.at(at);
  if (at % DISTURB_EVERY === 0) await both.with.disturb(at);
  const expected = await observed(() => run(both.without));
  const actual = await observed(() => run(both.with));
  if (actual === expected) return null;
  if (creates !== undefined && isTaken(both, creates, expected, actual)) {
    await both.without.undo(creates);
    // A virtual server with tools of that entity has its old text again, without a vector.
    await both.without.embed();
    await both.with.embed();
    return null;
  }
  return `a hidden part changes the answer of ${named}\n${difference(expected, actual)}`;
}

/** A path that something hidden has cannot be had: see docs/access.md. Only a write that would have been stored learns it. */
function isTaken({ hiddenIds }: TwoWorlds, creates: string, expected: string, actual: string): boolean {
  const isPossible = hiddenIds.has(creates) || creates.includes('#');
  return isPossible && errorCodeOf(expected) === null && errorCodeOf(actual) === 'ALREADY_EXISTS';
}
