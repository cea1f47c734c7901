import type { Engine } from '../../src/engines/engine.ts';
import { entityId } from '../../src/model/entity.ts';
import { embedMissing, indexed, server } from './engine-fixtures.ts';

/** The clock of both sides of a crash test stands still, so that their records can be compared. */
export const STILL = (): Date => new Date(Date.UTC(2026, 0, 1));

const SLOTS = 12;
const PER_STEP = 4;
const WORDS = ['anchor', 'beacon', 'capstan', 'davit', 'ensign', 'fathom', 'galley'];
export const STEP_QUERIES = ['anchor', 'beacon galley', 'capst', 'rope'];

const pathOf = (slot: number, k: number) => `/slot${slot}/${k}`;

/**
 * The n-th write of a life that is the same for everybody who lives it: a batch that adds or replaces the entities of a
 * slot, one that deletes them, or the vectors that are missing. Each is one call, so each happens whole or not at all.
 */
export async function takeStep(engine: Engine, n: number): Promise<void> {
  const slot = (n * 7) % SLOTS;
  if (n % 5 === 3) {
    await engine.store.delete(Array.from({ length: PER_STEP }, (_, k) => entityId('mcp_server', pathOf(slot, k))));
  } else if (n % 5 === 4) {
    await embedMissing(engine, 10_000);
  } else {
    const word = (k: number) => WORDS[k % WORDS.length]!;
    const batch = Array.from({ length: PER_STEP }, (_, k) => {
      const tools = Array.from({ length: (n + k) % 3 }, (_, t) => ({
        name: `${word(n + t)}_tool`,
        description: word(t),
      }));
      const more = { tools, metadata: { step: n } } as object;
      return indexed(server(pathOf(slot, k), `${word(n)} ${word(k)} ${word(n * k)}`, more), { vectors: n % 2 === 0 });
    });
    await engine.store.put(batch);
  }
}
