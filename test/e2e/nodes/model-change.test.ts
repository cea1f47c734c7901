import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openReplica } from '../../../src/engines/shared/open-replica.ts';
import { PostgresRecord } from '../../../src/engines/shared/postgres/postgres-record.ts';
import type { LocalRegistry } from '../../../src/registry/contract/registry.ts';
import type { Model } from '../../../src/registry/vectors/served-model.ts';
import { temporaryFolder } from '../../support/engine-fixtures.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { newSchema, usePostgres } from '../../support/postgres.ts';
import { registryOver } from '../../support/registry-over.ts';
import { WordEmbedder } from '../../support/word-embedder.ts';

const MAIL = [['mail', 'letter', 'post']];
const UNITS = 40;
const ENTITIES = Array.from({ length: UNITS }, (_, n) => {
  return { type: 'tool', path: `/t${n}`, name: `t${n}`, description: n % 2 ? 'post' : 'rain' };
});

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

const asModel = (embedder: WordEmbedder): Model => ({ embedder, state: () => ({ id: embedder.id, state: 'ready' }) });

/** As `openRegistry` does it, with models that the test holds. */
async function openNode(url: string, embedder: WordEmbedder, previous?: WordEmbedder) {
  const folder = temporaryFolder();
  const engine = await openReplica({ dir: folder.path, embedder, record: new PostgresRecord(url) });
  const registry = registryOver(engine, embedder, {
    background: true,
    ...(previous === undefined ? {} : { previous: asModel(previous) }),
  });
  onTestFinished(async () => {
    await registry.close();
    folder.remove();
  });
  return registry;
}

const ask = async (registry: LocalRegistry) => registry.search({ query: 'letter' });
const servedBy = async (registry: LocalRegistry) => (await registry.health()).embedder.id;

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  describe('a change of the model on several nodes', () => {
    it('embeds once, ends on every node, and leaves no search without vectors', async () => {
      const url = await newSchema(postgres);
      const first = await openNode(url, new WordEmbedder(MAIL, 'old'));
      await first.putMany(ENTITIES);
      await first.embedPending();

      const models = [new WordEmbedder(MAIL, 'new'), new WordEmbedder(MAIL, 'new')];
      // They begin when the test has seen the old model at work.
      for (const model of models) model.fail();
      const nodes = [
        await openNode(url, models[0]!, new WordEmbedder(MAIL, 'old')),
        await openNode(url, models[1]!, new WordEmbedder(MAIL, 'old')),
      ];
      const served = new Set<string | null>();
      for (let turn = 0, isDone = false; !isDone; turn++) {
        expect(turn).toBeLessThan(2000);
        await wait(5);
        for (const node of nodes) {
          expect((await ask(node)).search_mode).toBe('hybrid');
          served.add(await servedBy(node));
        }
        for (const model of models) model.recover();
        isDone = (await Promise.all(nodes.map(servedBy))).every((id) => id === 'test/new/64');
      }
      expect(served).toEqual(new Set(['test/old/64', 'test/new/64']));
      const embedded = models.flatMap((model) => model.embedded).filter((text) => text !== 'letter');
      expect(embedded).toHaveLength(UNITS);
      expect((await ask(nodes[0]!)).results).toEqual((await ask(nodes[1]!)).results);

      // The node that was not given the new model.
      await expect.poll(async () => (await ask(first)).search_mode).toBe('lexical-only');
      expect((await ask(first)).warnings.join()).toContain('test/old/64');
      await expect.poll(async () => (await nodes[0]!.health()).index.stale_vectors).toBe(0);
      await expect.poll(async () => (await nodes[1]!.health()).index.stale_vectors).toBe(0);
    }, 120_000);

    it('embeds in the background on one node what any of them has left', async () => {
      const url = await newSchema(postgres);
      const models = [new WordEmbedder(MAIL), new WordEmbedder(MAIL), new WordEmbedder(MAIL)];
      const nodes = [];
      for (const model of models) nodes.push(await openNode(url, model));
      await nodes[2]!.putMany(ENTITIES, { vectors: 'later' });
      for (const node of nodes) {
        await expect.poll(async () => (await node.health()).index).toMatchObject({ vectors: UNITS });
      }
      expect(models.map(({ embedded }) => embedded.length).sort()).toEqual([0, 0, UNITS]);
    });
  });
}
