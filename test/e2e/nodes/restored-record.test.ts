import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openReplica } from '../../../src/engines/shared/open-replica.ts';
import { PostgresRecord } from '../../../src/engines/shared/postgres/postgres-record.ts';
import type { ReplicaEngine } from '../../../src/engines/shared/replica-engine.ts';
import { entityId } from '../../../src/model/entity.ts';
import { edge } from '../../conformance/graph-suite.ts';
import { indexed, server, TOY_EMBEDDER, temporaryFolder } from '../../support/engine-fixtures.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { ask, backUpSchema, newSchema, usePostgres } from '../../support/postgres.ts';
import { retrieveText } from '../../support/retrieve.ts';
import { openNode } from '../../support/shared-nodes.ts';

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

const put = (node: ReplicaEngine, path: string, text = 'copper') => node.store.put([indexed(server(path, text))]);

/** Everything that a node has and finds. */
async function portrait({ store, index, vectors, edges }: ReplicaEngine): Promise<unknown> {
  const { entities } = await store.scan({ limit: 1000 });
  const ids = entities.map(({ id }) => id);
  const notes = [...(await store.annotationsOf(ids))].sort(([a], [b]) => (a < b ? -1 : 1));
  const hits = await retrieveText(index, { text: 'copper kettle' });
  const { bytes: _, ...stats } = await index.stats();
  const { names, source, target } = await edges.load();
  const links = Array.from(source, (from, n) => `${names[from]} ${names[target[n]!]}`).sort();
  return { entities, notes, hits, stats, missing: await vectors.missingIds(), links };
}

/** The end of a restore: no node says that it is ready before it equals a fresh one. */
async function becomeEqual(nodes: readonly ReplicaEngine[], url: string, epoch: string): Promise<void> {
  const fresh = await openNode(url);
  const expected = JSON.stringify(await portrait(fresh));
  const isEqual = async (node: ReplicaEngine) => {
    const { isReady, epoch: known } = node.replica.status();
    if (!isReady || known === epoch) return false;
    expect(JSON.stringify(await portrait(node))).toBe(expected);
    return true;
  };
  await expect
    .poll(async () => (await Promise.all(nodes.map(isEqual))).every(Boolean), { timeout: 60_000, interval: 5 })
    .toBe(true);
  expect(new Set([...nodes, fresh].map(({ replica }) => replica.status().epoch)).size).toBe(1);
}

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  describe('a record that goes back in time', () => {
    it.each([
      ['without later writes', 0],
      ['with fewer later writes than were lost', 2],
      ['with as many later writes as were lost', 5],
      ['with more later writes than were lost', 9],
    ])(
      'is read again by every node, %s',
      async (_, later) => {
        const url = await newSchema(postgres);
        const nodes = [await openNode(url), await openNode(url), await openNode(url)];
        const [a, b, c] = nodes as [ReplicaEngine, ReplicaEngine, ReplicaEngine];
        for (let n = 0; n < 5; n++) await put(a, `/kept${n}`);
        await a.store.annotate([{ id: entityId('mcp_server', '/kept1'), key: 'note', value: 1 }]);
        await a.edges.put([edge('x', 'y')]);
        const restore = await backUpSchema(url);
        await put(b, '/kept0', 'changed after the backup');
        await b.store.delete([entityId('mcp_server', '/kept2')]);
        await put(c, '/lost');
        await c.store.annotate([{ id: entityId('mcp_server', '/kept1'), key: 'note', value: 2 }]);
        await c.edges.put([edge('y', 'z')]);
        const last = c.replica.status();
        for (const node of nodes) {
          expect(await node.replica.reached({ epoch: last.epoch, seq: last.revision }, 30_000)).toBe(true);
        }

        await restore();
        // Of a node with a folder of its own, that had nothing of what was lost.
        const other = await openNode(url);
        for (let n = 0; n < later; n++) await put(other, `/later${n}`, 'copper kettle');
        await becomeEqual(nodes, url, last.epoch);
        // A revision of the epoch that ended is no reason to wait.
        expect(await a.replica.reached({ epoch: last.epoch, seq: 1_000_000 }, 30_000)).toBe(true);
        await put(a, '/again');
        const { epoch, revision: seq } = a.replica.status();
        for (const node of nodes) expect(await node.replica.reached({ epoch, seq }, 30_000)).toBe(true);
        expect(await portrait(b)).toEqual(await portrait(a));
      },
      120_000,
    );

    it('is not written to by a node that knows more, and is read again by one that was closed meanwhile', async () => {
      const url = await newSchema(postgres);
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      const open = () => openReplica({ dir: folder.path, embedder: TOY_EMBEDDER, record: new PostgresRecord(url) });
      const first = await open();
      await put(first, '/kept');
      const restore = await backUpSchema(url);
      await put(first, '/lost');
      const { epoch } = first.replica.status();
      await restore();
      // It hears of it in its turn, at the latest.
      const early = await put(first, '/early').catch((error: unknown) => error);
      if (early !== undefined) expect(early).toMatchObject({ code: 'REPLICA_BEHIND' });
      await first.close();
      const again = await open();
      onTestFinished(() => again.close());
      await becomeEqual([again], url, epoch);
      expect(await again.store.getMany([entityId('mcp_server', '/lost')])).toEqual([]);
    });
  });

  it('gives way to a restore that locks the tables, and goes on after it', async () => {
    const url = await newSchema(postgres);
    const node = await openNode(url);
    await put(node, '/before');
    const restore = new pg.Client({ connectionString: url });
    await restore.connect();
    onTestFinished(() => restore.end());
    await restore.query('BEGIN; LOCK TABLE dowser_edges');
    const reason = () => node.replica.status().error?.details;
    await expect.poll(reason, { timeout: 30_000, interval: 5 }).toEqual({ reason: '55P03' });
    // A reading has this one when it waits for the other: each would wait for the other to end.
    for (let turn = 0; turn < 5; turn++) await restore.query('SAVEPOINT s; LOCK TABLE dowser_head; ROLLBACK TO s');
    await restore.query('COMMIT');
    await expect.poll(() => node.replica.status().error, { timeout: 30_000 }).toBeNull();
    const other = await openNode(url);
    await put(other, '/after');
    const { epoch, revision: seq } = other.replica.status();
    expect(await node.replica.reached({ epoch, seq }, 30_000)).toBe(true);
  });

  describe('deletions that are forgotten', () => {
    const OPEN = { embedder: TOY_EMBEDDER };
    const rows = async (url: string, from: string) =>
      Number((await ask(url, `SELECT count(*) FROM ${from}`))[0]!.count);

    it('are read by every copy that stands behind them, and a copy that is older is read again', async () => {
      const url = await newSchema(postgres);
      const [old, recent] = [temporaryFolder(), temporaryFolder()];
      onTestFinished(() => old.remove());
      onTestFinished(() => recent.remove());
      const open = ({ path }: typeof old) => openReplica({ ...OPEN, dir: path, record: new PostgresRecord(url) });
      const writer = await openNode(url);
      for (let n = 0; n < 3; n++) await put(writer, `/kept${n}`);
      await writer.edges.put([edge('x', 'y')]);
      await (await open(old)).close();
      await writer.store.delete([entityId('mcp_server', '/kept1')]);
      await writer.edges.delete({ provenance: edge('x', 'y').provenance });
      await (await open(recent)).close();
      const { revision } = writer.replica.status();
      await put(writer, '/later');
      await writer.store.delete([entityId('mcp_server', '/kept2')]);

      const record = new PostgresRecord(url);
      onTestFinished(() => record.close());
      // The last two writes are kept, and the tip of the one before them.
      await record.purge({ ageMs: 86_400_000, writes: 2 });
      expect(await rows(url, 'dowser_writes')).toBe(3);
      expect(await rows(url, 'dowser_entities WHERE json IS NULL')).toBe(1);
      expect(await rows(url, 'dowser_edges')).toBe(0);
      expect((await record.head()).purged).toBe(revision);

      const { epoch } = writer.replica.status();
      const expected = await portrait(await openNode(url));
      for (const folder of [recent, old]) {
        const node = await open(folder);
        expect(await portrait(node)).toEqual(expected);
        expect(node.replica.status()).toMatchObject({ isReady: true, epoch });
        await node.close();
      }
      await record.purge({ ageMs: 0, writes: 2 });
      expect(await rows(url, 'dowser_writes')).toBe(1);
      expect(await rows(url, 'dowser_entities WHERE json IS NULL')).toBe(0);
    });
  });
}
