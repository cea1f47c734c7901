import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openEmbedded } from '../../../src/engines/embedded/open-embedded.ts';
import { openReplica } from '../../../src/engines/shared/open-replica.ts';
import { PostgresRecord } from '../../../src/engines/shared/postgres/postgres-record.ts';
import { EmbeddedGraphStore } from '../../../src/graph/embedded-graph-store.ts';
import { type EntityId, entityId } from '../../../src/model/entity.ts';
import { DowserError } from '../../../src/model/errors/errors.ts';
import { edge } from '../../conformance/graph-suite.ts';
import { indexed, server, TOY_EMBEDDER, temporaryFolder } from '../../support/engine-fixtures.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { ask, newSchema, terminateSessions, usePostgres } from '../../support/postgres.ts';
import { retrieveText } from '../../support/retrieve.ts';
import { allCaughtUp, openNode } from '../../support/shared-nodes.ts';
import { startProxy } from '../../support/tcp-proxy.ts';

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

const revisionAt = (seq: number) => ({ epoch: null, seq });
const idOfServer = (path: string) => entityId('mcp_server', path);
const found = async (node: Awaited<ReturnType<typeof openNode>>, text: string) =>
  (await retrieveText(node.index, { text })).length;

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  describe('nodes that share a record', () => {
    it('see each other: entities, deletions, annotations, the change log and edges', async () => {
      const url = await newSchema(postgres);
      const [a, b] = [await openNode(url), await openNode(url)];
      const graph = new EmbeddedGraphStore(b.edges);
      expect(await graph.around(['tool:/x' as EntityId])).toEqual([]);
      const { revision } = b.store.changes(null);
      await a.store.put([indexed(server('/one', 'copper kettle')), indexed(server('/two', 'copper pan'))]);
      await a.store.annotate([{ id: idOfServer('/one'), key: 'note', value: { stars: 5 } }]);
      await a.edges.put([edge('x', 'y')]);
      await allCaughtUp(a, b);
      expect(await found(b, 'copper')).toBe(2);
      expect(new Set(b.store.changes(revision).ids)).toEqual(new Set(['/one', '/two'].map(idOfServer)));
      expect(await b.store.annotated('note')).toEqual(new Map([[idOfServer('/one'), { stars: 5 }]]));
      expect(await graph.around(['tool:/x' as EntityId])).toHaveLength(1);

      await b.store.delete([idOfServer('/one')]);
      expect(await b.edges.delete({ provenance: edge('x', 'y').provenance })).toBe(1);
      await allCaughtUp(a, b);
      expect(await found(a, 'copper')).toBe(1);
      expect(await a.store.annotated('note')).toEqual(new Map());
      expect((await a.edges.load()).source).toHaveLength(0);
    });

    it('forgets the vectors of an entity that went away and came back while a node was closed', async () => {
      const url = await newSchema(postgres);
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      const open = () => openReplica({ dir: folder.path, embedder: TOY_EMBEDDER, record: new PostgresRecord(url) });
      const a = await openNode(url);
      await a.store.put([indexed(server('/same', 'x')), indexed(server('/text', 'x'))]);
      await a.store.annotate([{ id: idOfServer('/same'), key: 'note', value: 1 }]);
      await (await open()).close();
      await a.store.delete([idOfServer('/same')]);
      await a.store.put([indexed(server('/same', 'x'), { vectors: false })]);
      for (const text of ['y', 'x']) await a.store.put([indexed(server('/text', text), { vectors: false })]);
      const b = await open();
      const missing = async ({ vectors }: typeof a) => (await vectors.missing(10)).map(({ unit }) => unit);
      expect(await missing(b)).toEqual(['mcp_server:/same#card', 'mcp_server:/text#card']);
      expect(await missing(a)).toEqual(await missing(b));
      expect(await b.store.annotated('note')).toEqual(new Map());
      await b.close();
    });

    it('adds up what they add at the same time', async () => {
      const url = await newSchema(postgres);
      const nodes = [await openNode(url), await openNode(url), await openNode(url)];
      await nodes[0]!.store.put([indexed(server('/count', 'x', { metadata: { n: 0 } }))]);
      const add = ({ store }: (typeof nodes)[number]) =>
        store.inTurn(async () => {
          const [stored] = await store.getMany([idOfServer('/count')]);
          const n = (stored!.entity.metadata.n as number) + 1;
          await store.put([indexed(server('/count', 'x', { metadata: { n } }))]);
        });
      await Promise.all(nodes.flatMap((node) => Array.from({ length: 10 }, () => add(node))));
      const [stored] = await nodes[2]!.store.getMany([idOfServer('/count')]);
      await allCaughtUp(...nodes);
      expect((await nodes[0]!.store.getMany([idOfServer('/count')]))[0]).toEqual(
        (await nodes[1]!.store.getMany([idOfServer('/count')]))[0],
      );
      expect(stored).toBeDefined();
      expect((await nodes[0]!.store.getMany([idOfServer('/count')]))[0]!.entity.metadata).toEqual({ n: 30 });
    });

    it('hears of a write without a notice', async () => {
      const url = await newSchema(postgres);
      const [a, b] = [await openNode(url), await openNode(url)];
      await a.store.put([indexed(server('/one', 'x'))]);
      await allCaughtUp(a, b);
      await ask(
        url,
        `UPDATE dowser_head SET seq = seq + 1, tip = seq + 1 || ':quiet';
        INSERT INTO dowser_writes SELECT seq, tip, now() FROM dowser_head;
        INSERT INTO dowser_annotations SELECT 'mcp_server:/one', 'quiet', seq, 'true' FROM dowser_head`,
      );
      expect(await b.replica.reached(revisionAt(a.replica.status().revision + 1), 30_000)).toBe(true);
      await b.replica.reached(revisionAt(3), 30_000);
      expect(await b.store.annotated('quiet')).toEqual(new Map([[idOfServer('/one'), true]]));
    });

    it('has no duty while the record is silent: another node may have it', async () => {
      const proxy = await startProxy(postgres.port);
      const url = (await newSchema(postgres)).replace(`:${postgres.port}/`, `:${proxy.port}/`);
      const folder = temporaryFolder();
      let clock = 0;
      const record = new PostgresRecord(url, { now: () => clock });
      const node = await openReplica({ dir: folder.path, embedder: TOY_EMBEDDER, record });
      onTestFinished(async () => {
        await node.close();
        await proxy.close();
        folder.remove();
      });
      const embeds = () => node.replica.embeds(TOY_EMBEDDER.id);
      await expect.poll(embeds).toBe(true);
      // The server ends a session that it has heard nothing of for 20 seconds.
      clock = 20_000;
      expect(embeds()).toBe(false);
      // Work that waits for the duty hears that it is back.
      await new Promise<void>((resolve) => node.replica.watch(resolve));
      expect(embeds()).toBe(true);
      proxy.isSilent = true;
      clock = 40_000;
      expect(embeds()).toBe(false);
    });

    it('passes the duty to embed on when its node closes', async () => {
      const url = await newSchema(postgres);
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      const a = await openReplica({ dir: folder.path, embedder: TOY_EMBEDDER, record: new PostgresRecord(url) });
      const b = await openNode(url);
      const gains = (node: typeof a) =>
        new Promise<void>((resolve) => {
          node.replica.watch(() => node.replica.embeds(TOY_EMBEDDER.id) && resolve());
          if (node.replica.embeds(TOY_EMBEDDER.id)) resolve();
        });
      await gains(a);
      expect(b.replica.embeds(TOY_EMBEDDER.id)).toBe(false);
      // The second write is read after the first pass has asked for the duty.
      for (const path of ['/one', '/two']) {
        await a.store.put([indexed(server(path, 'x'))]);
        await allCaughtUp(a, b);
      }
      expect(b.replica.embeds(TOY_EMBEDDER.id)).toBe(false);
      const passed = gains(b);
      await a.close();
      await passed;
      expect(b.replica.embeds(TOY_EMBEDDER.id)).toBe(true);
    });
  });

  describe('a record that is lost', () => {
    it('leaves searches as they are, refuses writes, and is found again', async () => {
      const url = await newSchema(postgres);
      const [a, b] = [await openNode(url), await openNode(url)];
      await a.store.put([indexed(server('/one', 'copper'))]);
      await allCaughtUp(a, b);
      await postgres.kill();
      const refused = await a.store.put([indexed(server('/two', 'copper'))]).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'RECORD_UNAVAILABLE', httpStatus: 503 });
      await expect.poll(() => b.replica.status().error?.code).toBe('RECORD_UNAVAILABLE');
      expect(b.replica.status().isReady).toBe(true);
      expect(await found(a, 'copper')).toBe(1);
      expect(await found(b, 'copper')).toBe(1);

      await postgres.start();
      await expect.poll(() => a.replica.status().error).toBeNull();
      await a.store.put([indexed(server('/two', 'copper'))]);
      await allCaughtUp(a, b);
      expect(await found(b, 'copper')).toBe(2);
    });

    it('is written to over a new connection when the old one was closed unnoticed', async () => {
      const proxy = await startProxy(postgres.port);
      onTestFinished(() => proxy.close());
      const url = await newSchema(postgres);
      const node = await openNode(url.replace(`:${postgres.port}/`, `:${proxy.port}/`));
      await node.store.put([indexed(server('/one', 'copper'))]);
      proxy.drop();
      await node.store.put([indexed(server('/two', 'copper'))]);
      expect(await found(node, 'copper')).toBe(2);
    });

    it('is written to and read over new connections when the server ended the old ones', async () => {
      const url = await newSchema(postgres);
      const [node, other] = [await openNode(url), await openNode(url)];
      await node.store.put([indexed(server('/one', 'copper'))]);
      await allCaughtUp(node, other);
      // The node hears of it with the answer to its next question: nothing is read meanwhile.
      terminateSessions(url);
      await node.store.put([indexed(server('/two', 'copper'))]);
      terminateSessions(url);
      await other.store.put([indexed(server('/three', 'copper'))]);
      expect(await found(other, 'copper')).toBe(3);
    });

    it('says that a commit is unknown when its answer is lost, and has the write if it was stored', async () => {
      const url = await newSchema(postgres);
      const proxy = await startProxy(postgres.port);
      onTestFinished(() => proxy.close());
      const a = await openNode(url.replace(`:${postgres.port}`, `:${proxy.port}`));
      const b = await openNode(url);
      proxy.cutAfter = 'COMMIT';
      const failure = await a.store.put([indexed(server('/one', 'copper'))]).catch((error: unknown) => error);
      proxy.cutAfter = null;
      expect(failure).toMatchObject({
        code: 'RECORD_UNAVAILABLE',
        message: expect.stringContaining('unknown whether the write was stored'),
      });
      expect(await b.replica.reached(revisionAt(2), 30_000)).toBe(true);
      expect(await a.replica.reached(revisionAt(2), 30_000)).toBe(true);
      expect(await found(a, 'copper')).toBe(await found(b, 'copper'));
      await a.store.put([indexed(server('/two', 'copper'))]);
      await allCaughtUp(a, b);
      expect(await found(a, 'copper')).toBe(await found(b, 'copper'));
    });

    it('does not keep a node from searching and closing when it hangs', async () => {
      const url = await newSchema(postgres);
      const proxy = await startProxy(postgres.port);
      onTestFinished(() => proxy.close());
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      const record = new PostgresRecord(url.replace(`:${postgres.port}`, `:${proxy.port}`));
      const node = await openReplica({ dir: folder.path, embedder: TOY_EMBEDDER, record });
      await node.store.put([indexed(server('/one', 'copper'))]);
      proxy.isSilent = true;
      const refused = node.store.put([indexed(server('/two', 'copper'))]).catch((error: unknown) => error);
      expect(await found(node, 'copper')).toBe(1);
      await node.close();
      expect(await refused).toMatchObject({ code: expect.stringMatching(/^(RECORD|ENGINE)_UNAVAILABLE$/) });
    });

    it('answers from the copy it has when it starts without the record, and from no copy that never was whole', async () => {
      const url = await newSchema(postgres);
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      const open = () => openReplica({ dir: folder.path, embedder: TOY_EMBEDDER, record: new PostgresRecord(url) });
      const first = await open();
      await first.store.put([indexed(server('/one', 'copper'))]);
      await first.close();
      await postgres.kill();
      const [kept, empty] = [await open(), await openNode(url)];
      expect(await found(kept, 'copper')).toBe(1);
      expect([kept.replica.status().isReady, empty.replica.status().isReady]).toEqual([false, false]);
      await expect(found(empty, 'copper')).rejects.toMatchObject({ code: 'REPLICA_BEHIND' });
      await postgres.start();
      await expect.poll(() => empty.replica.status().isReady).toBe(true);
      await expect.poll(() => kept.replica.status().isReady).toBe(true);
      expect(await found(empty, 'copper')).toBe(1);
      await kept.close();
    });
  });

  describe('a record that cannot be used', () => {
    const errorOf = async (url: string) => {
      const node = await openNode(url);
      const { error, isReady } = node.replica.status();
      expect(isReady).toBe(false);
      await expect(node.store.put([])).rejects.toBeInstanceOf(DowserError);
      return error!;
    };

    it.each([
      ['a user that does not exist', (url: string) => url.replace('dowser@', 'nobody:hunter2@'), '28', 'password'],
      ['a database that does not exist', (url: string) => url.replace('/postgres', '/nowhere'), '3D000', 'database'],
      ['a port where nothing listens', (url: string) => url.replace(/:\d+/, ':9'), 'ECONNREFUSED', 'connects again'],
    ])('says what to do about %s, without a secret', async (_, wrong, reason, hint) => {
      const url = wrong(postgres.url).replace('dowser@', 'dowser:hunter2@');
      const error = await errorOf(url);
      expect(error).toMatchObject({ code: 'RECORD_UNAVAILABLE', hint: expect.stringContaining(hint) });
      expect(error.details?.reason).toMatch(new RegExp(`^${reason}`));
      const everything = JSON.stringify([error, error.message, error.hint, String(error.cause), error.cause]);
      expect(everything).not.toContain('hunter2');
    });

    it('refuses an address that is none, without repeating it', () => {
      for (const url of ['postgres://', 'http://u:hunter2@host/db', 'hunter2']) {
        expect(() => new PostgresRecord(url)).toThrow(
          expect.objectContaining({ code: 'INVALID_SETTING', message: expect.not.stringContaining('hunter2') }),
        );
      }
    });

    it('says that the disk of the database is full, stores nothing of the write, and takes the next one', async () => {
      const url = await newSchema(postgres);
      const node = await openNode(url);
      await node.store.put([indexed(server('/one', 'copper'))]);
      await ask(
        url,
        `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON dowser_vectors EXECUTE FUNCTION full_disk()`,
      );
      const refused = await node.store.put([indexed(server('/two', 'copper'))]).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'STORE_FULL', hint: expect.stringContaining('Free some space') });
      expect(await found(node, 'copper')).toBe(1);
      await ask(url, 'DROP TRIGGER full_disk ON dowser_vectors');
      await node.store.put([indexed(server('/three', 'copper'))]);
      expect(await found(node, 'copper')).toBe(2);
      expect(node.replica.status()).toMatchObject({ isReady: true, error: null });
    });

    it('refuses a database of a newer Dowser, until it is one of this', async () => {
      const url = await newSchema(postgres);
      await (await openNode(url)).close();
      const [before] = await ask(url, 'SELECT version FROM dowser_version');
      await ask(url, 'UPDATE dowser_version SET version = 99');
      const node = await openNode(url);
      expect(node.replica.status()).toMatchObject({ isReady: false, error: { code: 'STORE_TOO_NEW' } });
      await ask(url, `UPDATE dowser_version SET version = ${String(before?.version)}`);
      await expect.poll(() => node.replica.status().isReady).toBe(true);
    });

    it('takes no more units than an index holds, and a node that holds fewer follows', async () => {
      const url = await newSchema(postgres);
      const [small, large] = [await openNode(url, { maxUnits: 2 }), await openNode(url)];
      await small.store.put([indexed(server('/one', 'copper')), indexed(server('/two', 'copper'))]);
      const third = [indexed(server('/three', 'copper'))];
      await expect(small.store.put(third)).rejects.toMatchObject({ code: 'STORE_FULL' });
      await large.store.put(third);
      await allCaughtUp(small, large);
      expect([await found(small, 'copper'), await found(large, 'copper')]).toEqual([3, 3]);
    });

    it('brings a database of an older Dowser up to date', async () => {
      const url = await newSchema(postgres);
      const node = await openNode(url);
      await node.store.put([indexed(server('/one', 'copper'))]);
      await node.close();
      await ask(
        url,
        `DROP TABLE dowser_keys;
        ALTER TABLE dowser_head DROP COLUMN keys, DROP COLUMN reindex, DROP COLUMN epoch, DROP COLUMN tip, DROP COLUMN purged;
        DROP TABLE dowser_writes;
        DROP INDEX dowser_entities_gone, dowser_annotations_gone, dowser_vectors_gone, dowser_edges_gone;
        UPDATE dowser_version SET version = 1`,
      );
      const newer = await openNode(url);
      expect(newer.replica.status()).toMatchObject({ isReady: true, error: null });
      expect(await found(newer, 'copper')).toBe(1);
      expect(newer.replica.reindex()).toBeNull();
    });

    it('refuses a folder that is no copy of it, and a copy without a record', async () => {
      const [one, other] = [await newSchema(postgres), await newSchema(postgres)];
      const [own, copy] = [temporaryFolder(), temporaryFolder()];
      onTestFinished(() => own.remove());
      onTestFinished(() => copy.remove());
      const alone = await openEmbedded({ dir: own.path, embedder: null });
      await alone.store.put([indexed(server('/one', 'x'), { vectors: false })]);
      await alone.close();
      const invalid = { code: 'INVALID_SETTING', field: 'store' };
      await expect(openNode(one, { dir: own.path })).rejects.toMatchObject(invalid);
      await (await openReplica({ dir: copy.path, embedder: null, record: new PostgresRecord(one) })).close();
      await expect(openNode(other, { dir: copy.path })).rejects.toMatchObject(invalid);
      await expect(openEmbedded({ dir: copy.path, embedder: null })).rejects.toMatchObject(invalid);
    });
  });
}
