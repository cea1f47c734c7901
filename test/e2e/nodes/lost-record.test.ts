import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresRecord } from '../../../src/engines/shared/postgres/postgres-record.ts';
import { TABLE_STEPS } from '../../../src/engines/shared/postgres/tables.ts';
import type { ReplicaEngine } from '../../../src/engines/shared/replica-engine.ts';
import { entityId } from '../../../src/model/entity.ts';
import { indexed, server } from '../../support/engine-fixtures.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { ask, newSchema, usePostgres } from '../../support/postgres.ts';
import { retrieveText } from '../../support/retrieve.ts';
import { allCaughtUp, openNode } from '../../support/shared-nodes.ts';
import { startProxy } from '../../support/tcp-proxy.ts';

const HOLDER = fileURLToPath(new URL('../../support/turn-holder.ts', import.meta.url));

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

const put = (node: ReplicaEngine, path: string) => node.store.put([indexed(server(path, 'copper'))]);
const found = async (node: ReplicaEngine) => (await retrieveText(node.index, { text: 'copper' })).length;
const isReady = (node: ReplicaEngine) => node.replica.status().isReady;

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  describe('a network that swallows everything', () => {
    it('makes a node leave or serve, as it is set, refuses writes, and is noticed to be over', async () => {
      const proxy = await startProxy(postgres.port);
      onTestFinished(() => proxy.close());
      const url = await newSchema(postgres);
      const far = url.replace(`:${postgres.port}/`, `:${proxy.port}/`);
      const near = await openNode(url, { maxBehindMs: 60_000 });
      const leaving = await openNode(far, { maxBehindMs: 1_500 });
      const serving = await openNode(far, { maxBehindMs: 1_500, whenLost: 'serve' });
      await put(near, '/one');
      await allCaughtUp(near, leaving, serving);
      await expect.poll(() => isReady(leaving), { timeout: 60_000 }).toBe(true);

      proxy.isSilent = true;
      const refused = put(leaving, '/two').catch((error: unknown) => error);
      await expect.poll(() => isReady(leaving), { timeout: 60_000 }).toBe(false);
      await expect
        .poll(() => [serving.replica.status().error?.code, isReady(serving)], { timeout: 60_000 })
        .toEqual(['RECORD_UNAVAILABLE', true]);
      expect([await found(leaving), await found(serving)]).toEqual([1, 1]);
      await put(near, '/three');
      expect(await refused).toMatchObject({ code: 'RECORD_UNAVAILABLE' });
      // Those who waited behind it are not kept for as long again.
      const first = put(leaving, '/four').catch((error: unknown) => error);
      const second = put(leaving, '/five').catch((error: unknown) => error);
      expect(await first).toMatchObject({ code: 'RECORD_UNAVAILABLE' });
      expect(await Promise.race([second, wait(0, 'waits')])).toMatchObject({ code: 'RECORD_UNAVAILABLE' });

      proxy.isSilent = false;
      await expect.poll(() => [isReady(leaving), isReady(serving)], { timeout: 60_000 }).toEqual([true, true]);
      await put(leaving, '/six');
      await allCaughtUp(near, leaving, serving);
      expect(await Promise.all([near, leaving, serving].map(found))).toEqual([3, 3, 3]);
    }, 180_000);
  });

  describe('a turn', () => {
    it('passes on from a node that stopped in the midst of it', async () => {
      const url = await newSchema(postgres);
      const node = await openNode(url);
      const args = ['--import', 'tsx', HOLDER, url];
      const holder = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void holder.kill('SIGKILL'));
      await once(holder.stdout, 'data');
      await put(node, '/one');
      expect([await found(node), holder.exitCode]).toEqual([1, null]);
    });

    it('takes two round trips for a write: to get it, and to write in it', async () => {
      const proxy = await startProxy(postgres.port);
      onTestFinished(() => proxy.close());
      const url = (await newSchema(postgres)).replace(`:${postgres.port}/`, `:${proxy.port}/`);
      const record = new PostgresRecord(url);
      onTestFinished(() => record.close());
      await record.open();
      const edge = { source: 'tool:/a', target: 'tool:/b', type: 'REQUIRES', provenance: 'test', weight: 1 } as const;
      const edges = [{ edge: { ...edge, confidence: 1, decay: 0, verifiedAt: null } as never, isDeleted: false }];
      const note = [{ id: entityId('mcp_server', '/a'), key: 'note', value: "it's \\ {a,b} $1" }];
      const write = () => record.inTurn((turn) => turn.write({ edges, annotations: note }));
      await write();
      const before = proxy.sent;
      const { seq } = await write();
      // The third one gives the turn back, and nobody waits for its answer.
      expect([seq, proxy.sent - before]).toEqual([2, 3]);
      const start = { after: 0, seen: null, purged: 0, complete: -1, limit: 10 };
      expect((await record.since(start)).annotations).toEqual(note);
    });

    it('is kept by a node that computes in it for long', async () => {
      const url = await newSchema(postgres);
      const record = new PostgresRecord(url);
      onTestFinished(() => record.close());
      await record.open();
      const head = await record.inTurn(async (turn) => {
        await wait(7_000);
        return turn.write({ reindex: null as never });
      });
      expect(head.seq).toBe(1);
    });
  });

  describe('two versions of the tables', () => {
    it('are not written to by the node that knows only the older one', async () => {
      const url = await newSchema(postgres);
      const older = await openNode(url);
      await put(older, '/one');
      const version = TABLE_STEPS.at(-1)!.version + 1;
      const what = 'of a later Dowser';
      const step = { version, what, sql: 'ALTER TABLE dowser_entities ADD COLUMN later text' };
      const later = new PostgresRecord(url, { steps: [...TABLE_STEPS, step] });
      onTestFinished(() => later.close());
      const { seq } = await later.open();
      await expect(put(older, '/two')).rejects.toMatchObject({ code: 'STORE_TOO_NEW' });
      await expect.poll(() => older.replica.status().error?.code, { timeout: 60_000 }).toBe('STORE_TOO_NEW');
      expect(isReady(older)).toBe(false);
      expect(await found(older)).toBe(1);
      expect(await later.head()).toMatchObject({ seq });
    });

    it('are not written to by a Dowser that knew no tips', async () => {
      const url = await newSchema(postgres);
      const node = await openNode(url);
      await put(node, '/one');
      await expect(ask(url, 'UPDATE dowser_head SET seq = seq + 1')).rejects.toThrow('violates check constraint');
    });
  });
}
