import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileKeys } from '../../../src/access/file-keys.ts';
import { parseSettings } from '../../../src/config.ts';
import { PostgresRecord } from '../../../src/engines/shared/postgres/postgres-record.ts';
import { migrateStore } from '../../../src/open.ts';
import { openKeys } from '../../../src/open-keys.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { backUpSchema, newSchema, usePostgres } from '../../support/postgres.ts';
import { Sandbox } from '../cli-process.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const READER = { groups: [], scopes: ['read'], expiresAt: null } as const;

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

const dataOf = (name: string) => join(sandbox.dir, name);

async function startNode(store: string, name: string) {
  const node = await sandbox.serve([], { DOWSER_STORE: store, DOWSER_DATA: dataOf(name), DOWSER_AUTH: 'true' });
  await expect.poll(async () => (await fetch(`${node.url}/ready`)).status, { timeout: 60_000 }).toBe(200);
  return node;
}
type KeyedNode = Awaited<ReturnType<typeof startNode>>;

const statusWith = async ({ url }: KeyedNode, key: string) =>
  (await fetch(`${url}/api/tags`, { headers: { Authorization: `Bearer ${key}` } })).status;
const statuses = (nodes: readonly KeyedNode[], key: string) =>
  Promise.all(nodes.map((node) => statusWith(node, key))).then((found) => found.join());

/** Asks until the answers are these: a change takes a moment to reach every node. */
const reaches = (nodes: readonly KeyedNode[], key: string, status: number) =>
  expect.poll(() => statuses(nodes, key), { timeout: 60_000, interval: 20 }).toBe(nodes.map(() => status).join());

/** As a command on the machine of a node has them. */
const keysAt = (store: string, name: string) => openKeys(parseSettings({ store, data_dir: dataOf(name) }));

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  describe('keys of nodes that share a record', () => {
    it('are made and revoked on any of three nodes, and each node accepts the same ones', async () => {
      const store = await newSchema(postgres);
      const names = ['a', 'b', 'c'];
      const nodes = await Promise.all(names.map((name) => startNode(store, name)));
      const stores = await Promise.all(names.map((name) => keysAt(store, name)));
      const made: { readonly name: string; readonly key: string; isRevoked: boolean }[] = [];
      const rounds = Array.from({ length: 20 }, (_, n) => n);
      for (const round of rounds) {
        // Three commands at once.
        const keys = await Promise.all(
          stores.map((one, n) => one.create({ ...READER, name: `key-${round}-${n}` }, NOW)),
        );
        made.push(...keys.map(({ key, stored }) => ({ name: stored.name, key, isRevoked: false })));
        const old = made[round * 2]!;
        await stores[(round + 1) % 3]!.revoke(old.name, NOW);
        old.isRevoked = true;
      }
      const ends = [
        { ...made.at(-1)!, status: 200 },
        { ...made.findLast(({ isRevoked }) => isRevoked)!, status: 401 },
      ];
      for (const { key, status } of ends) await reaches(nodes, key, status);
      const wrong: string[] = [];
      for (const { name, key, isRevoked } of made) {
        const found = await statuses(nodes, key);
        if (found !== (isRevoked ? '401,401,401' : '200,200,200')) wrong.push(`${name}: ${found}`);
      }
      expect(wrong).toEqual([]);
      expect(await statuses(nodes, `${made.at(-1)!.key.slice(0, -1)}x`)).toBe('401,401,401');

      // One name is given once, whoever is asked at the same time.
      const same = await Promise.allSettled(stores.map((one) => one.create({ ...READER, name: 'same' }, NOW)));
      expect(same.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
      await Promise.all(stores.map((one) => one.close()));

      // The commands do the same.
      const env = (name: string) => ({ DOWSER_STORE: store, DOWSER_DATA: dataOf(name) });
      const created = await sandbox.run(['key', 'create', '--name', 'ci', '--json'], env('a'));
      expect(created).toMatchObject({ code: 0, stderr: '' });
      const { key } = JSON.parse(created.stdout) as { readonly key: string };
      await reaches(nodes, key, 200);
      expect((await sandbox.run(['list'], { ...env('c'), DOWSER_KEY: key })).code).toBe(0);
      expect((await sandbox.run(['key', 'list'], env('b'))).stdout).toContain('ci (');
      expect((await sandbox.run(['key', 'revoke', 'ci'], env('b'))).code).toBe(0);
      await reaches(nodes, key, 401);
      const refused = await sandbox.run(['list'], { ...env('c'), DOWSER_KEY: key });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('revoked')]);
      expect(existsSync(join(dataOf('a'), 'keys.sqlite'))).toBe(false);
    }, 300_000);

    it('outlive a deleted copy, and a start while the record is down', async () => {
      const store = await newSchema(postgres);
      const keys = await keysAt(store, 'a');
      const [kept, revoked] = await Promise.all(
        ['kept', 'revoked'].map((name) => keys.create({ ...READER, name }, NOW)),
      );
      let node = await startNode(store, 'a');
      await reaches([node], kept!.key, 200);
      // The server of this node would not know a key of the folder.
      await expect(openKeys(parseSettings({ data_dir: dataOf('a') }))).rejects.toMatchObject({
        code: 'INVALID_SETTING',
        field: 'store',
      });
      await keys.revoke('revoked', NOW);
      await reaches([node], revoked!.key, 401);
      await keys.close();
      await node.stop('SIGTERM');
      await rm(join(dataOf('a'), 'copy'), { recursive: true });
      node = await startNode(store, 'a');
      expect([await statusWith(node, kept!.key), await statusWith(node, revoked!.key)]).toEqual([200, 401]);
      await node.stop('SIGKILL');

      await postgres.kill();
      const env = { DOWSER_STORE: store, DOWSER_AUTH: 'true' };
      const alone = await sandbox.serve([], { ...env, DOWSER_DATA: dataOf('a') });
      expect([await statusWith(alone, kept!.key), await statusWith(alone, revoked!.key)]).toEqual([200, 401]);
      // A node that has never read the record knows no key: it says so, and not that the key is wrong.
      const fresh = await sandbox.serve([], { ...env, DOWSER_DATA: dataOf('fresh') });
      expect(await statusWith(fresh, kept!.key)).toBe(503);
      const command = await sandbox.run(['key', 'revoke', 'kept'], { ...env, DOWSER_DATA: dataOf('a') });
      expect([command.code, command.stderr]).toEqual([1, expect.stringContaining('RECORD_UNAVAILABLE')]);
      await postgres.start();
      await reaches([alone, fresh], kept!.key, 200);
    }, 180_000);

    it('are taken from the file of a node once, and a revocation stays', async () => {
      const store = await newSchema(postgres);
      const own = new FileKeys(dataOf('a'));
      const [one, two] = ['one', 'two'].map((name) => own.create({ ...READER, name }, NOW));
      own.close();
      // Before they shared a record, another node gave the same name.
      const other = new FileKeys(dataOf('b'));
      const same = other.create({ ...READER, name: 'one' }, NOW);
      other.close();
      const nodes = [await startNode(store, 'a'), await startNode(store, 'b')];
      for (const { key } of [one!, two!, same]) await reaches(nodes, key, 200);
      expect(['a', 'b'].map((name) => existsSync(join(dataOf(name), 'keys.sqlite')))).toEqual([false, false]);

      const keys = await keysAt(store, 'b');
      await expect(keys.revoke('one', NOW)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        hint: expect.stringContaining(one!.stored.id),
      });
      await keys.revoke(one!.stored.id, NOW);
      await reaches(nodes, one!.key, 401);
      // An old copy of the file comes back.
      const again = new FileKeys(dataOf('a'));
      again.take([...(await keys.all())].filter(({ id }) => id === two!.stored.id));
      again.close();
      await keys.revoke('two', NOW);
      await nodes[0]!.stop('SIGTERM');
      const restarted = await startNode(store, 'a');
      expect(await statuses([restarted, nodes[1]!], two!.key)).toBe('401,401');
      expect(await statuses([restarted, nodes[1]!], same.key)).toBe('200,200');
      expect((await keys.list()).map(({ name }) => name).sort()).toEqual(['one', 'one', 'two']);
      await keys.close();
    }, 180_000);

    it('go back in time with the record', async () => {
      const store = await newSchema(postgres);
      const keys = await keysAt(store, 'a');
      const before = await keys.create({ ...READER, name: 'before' }, NOW);
      const node = await startNode(store, 'a');
      const restore = await backUpSchema(store);
      const after = await keys.create({ ...READER, name: 'after' }, NOW);
      await keys.revoke('before', NOW);
      await reaches([node], after.key, 200);
      await reaches([node], before.key, 401);
      await restore();
      await reaches([node], after.key, 401);
      await reaches([node], before.key, 200);
      await keys.close();
    }, 120_000);

    it('move with the record into a folder, and from one', async () => {
      const [store, target] = [await newSchema(postgres), await newSchema(postgres)];
      const keys = await keysAt(store, 'a');
      const servers = ['/one'];
      const kept = await keys.create({ name: 'kept', groups: ['g'], scopes: ['read'], servers, expiresAt: null }, NOW);
      const gone = await keys.create({ ...READER, name: 'gone' }, NOW);
      await keys.revoke('gone', NOW);
      const all = await keys.all();
      await keys.close();
      const record = new PostgresRecord(store);
      await record.inTurn((turn) => turn.write({ embedders: { served: null, building: null } }));
      await record.close();
      await migrateStore({ from: store, to: dataOf('back') });
      const moved = new FileKeys(dataOf('back'));
      expect(moved.all()).toEqual(all);
      expect(moved.find(kept.key)).toEqual(kept.stored);
      expect(moved.find(gone.key)).toMatchObject({ revoked_at: NOW.toISOString() });
      moved.close();
      await migrateStore({ from: dataOf('back'), to: target });
      const there = await keysAt(target, 'c');
      expect(await there.all()).toEqual(all);
      await there.close();
    }, 120_000);
  });
}
