import fc from 'fast-check';
import { it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { expectAgreement } from '../support/engine-agreement.ts';
import { TOY_EMBEDDER, temporaryFolder } from '../support/engine-fixtures.ts';
import { FILTERS, phrase, step, take } from '../support/random-writes.ts';

it('the embedded engine answers as the memory engine does, after any writes and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 12, size: 'max' }),
      fc.array(phrase(3), { minLength: 2, maxLength: 3 }),
      async (steps, queries) => {
        const folder = temporaryFolder();
        const now = () => new Date(0);
        // A snapshot at some of the closes, so that starts from one, without one, and with more to replay all happen.
        const open = (n: number) =>
          openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER, now, snapshotAfterUnits: n % 2 === 0 ? 0 : 1e9 });
        const expected = new MemoryEngine({ embedder: TOY_EMBEDDER, now });
        let actual = await open(0);
        try {
          for (const [n, step] of steps.entries()) {
            await take(actual, step);
            await take(expected, step);
            if (step.do !== 'reopen') continue;
            await actual.close();
            actual = await open(n);
          }
          await expectAgreement(actual, expected, queries, FILTERS);
        } finally {
          await actual.close();
          folder.remove();
        }
      },
    ),
    { numRuns: 8 },
  );
});
