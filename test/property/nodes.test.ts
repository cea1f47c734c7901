import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { Engine } from '../../src/engines/engine.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { openReplica } from '../../src/engines/shared/open-replica.ts';
import { PostgresRecord } from '../../src/engines/shared/postgres/postgres-record.ts';
import type { EntityId } from '../../src/model/entity.ts';
import { expectAgreement } from '../support/engine-agreement.ts';
import { TOY_EMBEDDER, temporaryFolder } from '../support/engine-fixtures.ts';
import { failInCi } from '../support/fail-in-ci.ts';
import { newSchema, usePostgres } from '../support/postgres.ts';
import { FILTERS, phrase, step, take } from '../support/random-writes.ts';

const NODES = 3;
/** Each case has three nodes and some hundred writes. `CASES=1000` for a long run. */
const CASES = Number(process.env.CASES ?? 4);
const now = () => new Date(0);

const server = await usePostgres();
afterAll(() => server?.remove());

async function entitiesOf({ store }: Engine) {
  return (await store.scan({ limit: 10_000 })).entities;
}

if (server === null) {
  failInCi('a PostgreSQL');
} else {
  it('three nodes answer as the memory engine does, after any writes through any of them', async () => {
    const url = await newSchema(server);
    const folders = Array.from({ length: NODES }, temporaryFolder);
    const open = (n: number) =>
      openReplica({ dir: folders[n]!.path, embedder: TOY_EMBEDDER, now, record: new PostgresRecord(url) });
    const nodes = await Promise.all(folders.map((_, n) => open(n)));
    const allCaughtUp = async () => {
      const head = Math.max(...nodes.map(({ replica }) => replica.status().revision));
      for (const { replica } of nodes) expect(await replica.reached(head, 20_000)).toBe(true);
    };
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
            await allCaughtUp();
            await nodes[0]!.store.delete((await entitiesOf(nodes[0]!)).map(({ id }) => id));
            for (const { step: one, node, notes } of writes) {
              if (one.do === 'reopen') {
                await nodes[node]!.close();
                nodes[node] = await open(node);
                continue;
              }
              await take(nodes[node]!, one);
              await take(expected, one);
              const ids = (await entitiesOf(expected)).slice(0, 2).map(({ id }): EntityId => id);
              const said = ids.flatMap((id) =>
                notes.map((key) => ({ id, key, value: one.do === 'put' ? notes : null })),
              );
              await nodes[(node + 1) % NODES]!.store.annotate(said);
              await expected.store.annotate(said);
            }
            await allCaughtUp();
            for (const node of nodes) {
              await expectAgreement(node, expected, queries, FILTERS);
              expect(await entitiesOf(node)).toEqual(await entitiesOf(expected));
              expect(await node.store.annotated('a')).toEqual(await expected.store.annotated('a'));
              expect(await node.vectors.missing(1000)).toEqual(await expected.vectors.missing(1000));
            }
          },
        ),
        { numRuns: CASES, endOnFailure: true },
      );
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
      for (const folder of folders) folder.remove();
    }
  }, 3_600_000);
}
