import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { Engine } from '../../src/engines/engine.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { openReplica } from '../../src/engines/shared/open-replica.ts';
import { PostgresRecord } from '../../src/engines/shared/postgres/postgres-record.ts';
import type { EntityId } from '../../src/model/entity.ts';
import type { Retrieved, RetrieveQuery } from '../../src/search/retrieval/retrieval.ts';
import { type ComparedEngine, expectAgreement } from '../support/engine-agreement.ts';
import { TOY_EMBEDDER, temporaryFolder } from '../support/engine-fixtures.ts';
import { failInCi } from '../support/fail-in-ci.ts';
import { newSchema, usePostgres } from '../support/postgres.ts';
import { FILTERS, phrase, step, take } from '../support/random-writes.ts';
import { allCaughtUp } from '../support/shared-nodes.ts';

const NODES = 3;
/** Each case has three nodes and some hundred writes. `CASES=1000` for a long run. */
const CASES = Number(process.env.CASES ?? 4);
/** To repeat a run that failed: it prints its seed. */
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };
/** A case takes about two seconds of an idle machine. */
const MAX_CASE_MS = 30_000;
const now = () => new Date(0);

const server = await usePostgres();
afterAll(() => server?.remove());

async function entitiesOf({ store }: Engine) {
  return (await store.scan({ limit: 10_000 })).entities;
}

/** The engine must not change any more. Three nodes are asked the same, and the reference engine takes the longest to answer. */
function withRememberedAnswers({ store, vectors, index }: Engine): ComparedEngine {
  const answers = new Map<string, Promise<Retrieved>>();
  const retrieve = (query: RetrieveQuery) => {
    const key = JSON.stringify(query);
    const answer = answers.get(key) ?? index.retrieve(query);
    answers.set(key, answer);
    return answer;
  };
  return {
    store,
    vectors,
    index: { version: null, retrieve, names: (view) => index.names(view), stats: () => index.stats() },
  };
}

if (server === null) {
  failInCi('a PostgreSQL');
} else {
  it(
    'three nodes answer as the memory engine does, after any writes through any of them',
    async () => {
      const url = await newSchema(server);
      const folders = Array.from({ length: NODES }, temporaryFolder);
      const open = (n: number) =>
        openReplica({ dir: folders[n]!.path, embedder: TOY_EMBEDDER, now, record: new PostgresRecord(url) });
      const nodes = await Promise.all(folders.map((_, n) => open(n)));
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.record({ step, node: fc.nat(NODES - 1), notes: fc.subarray(['a', 'b']) }), {
              minLength: 4,
              maxLength: 14,
              size: 'max',
            }),
            fc.array(phrase(3), { minLength: 2, maxLength: 3 }),
            async (writes, queries) => {
              const expected = new MemoryEngine({ embedder: TOY_EMBEDDER, now });
              await allCaughtUp(...nodes);
              await nodes[0]!.store.delete((await entitiesOf(nodes[0]!)).map(({ id }) => id));
              for (const { step: one, node, notes } of writes) {
                if (one.do === 'reopen') {
                  await nodes[node]!.close();
                  nodes[node] = await open(node);
                  continue;
                }
                // What has no vector is asked of the node's copy, which may be behind.
                if (one.do === 'embed') await allCaughtUp(...nodes);
                await take(nodes[node]!, one);
                await take(expected, one);
                const ids = (await entitiesOf(expected)).slice(0, 2).map(({ id }): EntityId => id);
                const said = ids.flatMap((id) =>
                  notes.map((key) => ({ id, key, value: one.do === 'put' ? notes : null })),
                );
                await nodes[(node + 1) % NODES]!.store.annotate(said);
                await expected.store.annotate(said);
              }
              await allCaughtUp(...nodes);
              const reference = withRememberedAnswers(expected);
              for (const node of nodes) {
                await expectAgreement(node, reference, queries, FILTERS);
                expect(await entitiesOf(node)).toEqual(await entitiesOf(expected));
                expect(await node.store.annotated('a')).toEqual(await expected.store.annotated('a'));
                expect(await node.vectors.missing(1000)).toEqual(await expected.vectors.missing(1000));
              }
            },
          ),
          { numRuns: CASES, endOnFailure: true, ...SEED },
        );
      } finally {
        await Promise.all(nodes.map((node) => node.close()));
        for (const folder of folders) folder.remove();
      }
    },
    60_000 + CASES * MAX_CASE_MS,
  );
}
