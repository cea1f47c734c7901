import fc from 'fast-check';
import { afterAll, it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { expectAgreement } from '../support/engine-agreement.ts';
import { TOY_EMBEDDER, temporaryFolder } from '../support/engine-fixtures.ts';
import { failInCi } from '../support/fail-in-ci.ts';
import { settledEngine, useQdrant, vectorsIn } from '../support/qdrant.ts';
import { FILTERS, phrase, step, take } from '../support/random-writes.ts';
import { engineSuite } from './engine-suite.ts';
import type { OpenOptions } from './engine-under-test.ts';

const server = await useQdrant();
afterAll(() => server?.remove());

if (server === null) {
  failInCi('a Qdrant');
} else {
  it('answers as the memory engine does after any writes and restarts, whatever Qdrant has by then', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 10, size: 'max' }),
        fc.array(phrase(3), { minLength: 2, maxLength: 2 }),
        async (steps, queries) => {
          const folder = temporaryFolder();
          const now = () => new Date(0);
          const open = () =>
            openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER, now, vectorServer: vectorsIn(server) });
          const expected = new MemoryEngine({ embedder: TOY_EMBEDDER, now });
          let actual = await open();
          try {
            for (const one of steps) {
              await take(actual, one);
              await take(expected, one);
              if (one.do !== 'reopen') continue;
              await actual.close();
              actual = await open();
            }
            await expectAgreement(actual, expected, queries, FILTERS);
            await actual.vectorServer!.settled();
            await expectAgreement(actual, expected, queries, FILTERS);
          } finally {
            await actual.close();
            folder.remove();
          }
        },
      ),
      { numRuns: 2 },
    );
  }, 120_000);

  engineSuite({
    name: 'embedded, with vectors that Qdrant has,',
    isDurable: true,
    async open(options: OpenOptions) {
      const vectorServer = vectorsIn(server);
      const engine = await openEmbedded({ ...options, vectorServer });
      await vectorServer.settled();
      return settledEngine(engine, vectorServer);
    },
  });
}
