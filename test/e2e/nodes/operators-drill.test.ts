import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { findPostgresTools, startPostgres } from '../../../scripts/servers.mjs';
import { parseSettings } from '../../../src/config.ts';
import type { ReplicaEngine } from '../../../src/engines/shared/replica-engine.ts';
import { openKeys } from '../../../src/open-keys.ts';
import { indexed, server, temporaryFolder } from '../../support/engine-fixtures.ts';
import { ask } from '../../support/postgres.ts';
import { openNode } from '../../support/shared-nodes.ts';
import { startProxy } from '../../support/tcp-proxy.ts';

/**
 * The drills of docs/scale.md with the tools that an operator has. They come with Debian's `postgresql` package, and not with the
 * server that other tests fetch: where a system does not have them, this file says so and proves nothing.
 */
const found = findPostgresTools();
if ('missing' in found)
  process.stderr.write(`\nNO TOOLS OF POSTGRESQL: ${found.missing}. The restore drill is not tested.\n`);
const tools = 'missing' in found ? null : found;
const primary = tools === null ? null : await startPostgres(tools);
afterAll(() => primary?.remove());

const NOW = new Date('2026-03-01T12:00:00.000Z');
const runProgram = promisify(execFile);
const run = (tool: string, ...args: readonly string[]) => runProgram(join(tools!.programs, 'bin', tool), [...args]);

async function newDatabase(name: string): Promise<string> {
  await ask(primary!.url, `CREATE DATABASE ${name}`);
  return primary!.url.replace(/\/postgres$/, `/${name}`);
}

const put = (node: ReplicaEngine, path: string) => node.store.put([indexed(server(path, 'copper'))]);
async function pathsOf({ store }: ReplicaEngine): Promise<string> {
  const { entities } = await store.scan({ limit: 1000 });
  return entities.map(({ id }) => id).join(' ');
}

/** Until each has exactly what a new node reads. A node that says before that it is ready fails the test. */
async function endEqual(nodes: readonly ReplicaEngine[], url: string, lostEpoch: string): Promise<string> {
  const fresh = await openNode(url);
  const expected = await pathsOf(fresh);
  const isEqual = async (node: ReplicaEngine) => {
    const { isReady, epoch } = node.replica.status();
    if (!isReady || epoch === lostEpoch) return false;
    expect(await pathsOf(node)).toBe(expected);
    return true;
  };
  await expect
    .poll(async () => (await Promise.all(nodes.map(isEqual))).every(Boolean), { timeout: 90_000, interval: 10 })
    .toBe(true);
  return expected;
}

const namesOf = async (url: string) => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const keys = await openKeys(parseSettings({ store: url, data_dir: folder.path }));
  const names = (await keys.list()).map(({ name }) => name);
  await keys.close();
  return names;
};

async function createKey(url: string, name: string): Promise<void> {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const keys = await openKeys(parseSettings({ store: url, data_dir: folder.path }));
  await keys.create({ name, groups: [], scopes: ['read'], expiresAt: null }, NOW);
  await keys.close();
}

if (tools === null) {
  it('says what it lacks', () => {
    expect(found).toMatchObject({ missing: expect.stringContaining('pg_dump') });
  });
} else {
  describe('a backup by pg_dump', () => {
    it.each([
      ['in place, in one transaction', 'drill_in_place'],
      ['into a new database that takes the name', 'drill_new'],
    ])(
      'is restored under running nodes, %s',
      async (_, name) => {
        const url = await newDatabase(name);
        const nodes = [await openNode(url), await openNode(url)];
        const [a, b] = nodes as [ReplicaEngine, ReplicaEngine];
        for (let n = 0; n < 20; n++) await put(a, `/kept${n}`);
        await createKey(url, 'kept');
        const folder = temporaryFolder();
        onTestFinished(() => folder.remove());
        const file = join(folder.path, 'dowser.dump');
        await run('pg_dump', '--format=custom', `--file=${file}`, url);
        for (let n = 0; n < 5; n++) await put(b, `/lost${n}`);
        await createKey(url, 'lost');
        const { epoch } = b.replica.status();
        expect(await a.replica.reached({ epoch, seq: b.replica.status().revision }, 30_000)).toBe(true);

        if (name === 'drill_in_place') {
          await run('pg_restore', '--clean', '--if-exists', '--single-transaction', `--dbname=${url}`, file);
        } else {
          const other = await newDatabase(`${name}_restored`);
          await run('pg_restore', `--dbname=${other}`, file);
          await ask(primary!.url, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
          await ask(
            primary!.url,
            `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
          );
          await ask(primary!.url, `ALTER DATABASE ${name} RENAME TO ${name}_old`);
          await ask(primary!.url, `ALTER DATABASE ${name}_restored RENAME TO ${name}`);
        }
        const paths = await endEqual(nodes, url, epoch);
        expect([paths.includes('/kept19'), paths.includes('lost')]).toEqual([true, false]);
        expect(await namesOf(url)).toEqual(['kept']);
        for (const [n, node] of nodes.entries()) await put(node, `/after${n}`);
        expect((await pathsOf(await openNode(url))).match(/\/after/g)).toHaveLength(2);
      },
      180_000,
    );
  });

  describe('a standby that takes over', () => {
    /** A primary with a standby, and one address for both, as an operator moves it. */
    async function pair(settings: readonly string[]) {
      const first = await startPostgres(tools!, { settings });
      onTestFinished(() => first.remove());
      const second = await startPostgres(tools!, { standbyOf: first.port });
      onTestFinished(() => second.remove());
      const proxy = await startProxy(first.port);
      onTestFinished(() => proxy.close());
      const url = `postgres://dowser@127.0.0.1:${proxy.port}/postgres`;
      const takeOver = async () => {
        await ask(second.url, 'SELECT pg_promote(true, 60)');
        proxy.to = second.port;
        proxy.drop();
      };
      return { first, second, url, takeOver };
    }

    it('has every acknowledged write if it is synchronous, and the nodes go on', async () => {
      const { first, second, url, takeOver } = await pair(['synchronous_standby_names=ANY 1 (*)']);
      const nodes = [await openNode(url), await openNode(url)];
      const acknowledged: string[] = [];
      for (let n = 0; n < 40; n++) {
        await put(nodes[n % 2]!, `/w${n}`);
        acknowledged.push(`/w${n}`);
      }
      const { epoch } = nodes[0]!.replica.status();
      await first.kill();
      await takeOver();
      await ask(second.url, "ALTER SYSTEM SET synchronous_standby_names = ''");
      await ask(second.url, 'SELECT pg_reload_conf()');
      await expect
        .poll(() => nodes.map(({ replica }) => replica.status().error), { timeout: 60_000 })
        .toEqual([null, null]);
      for (const [n, node] of nodes.entries()) await put(node, `/after${n}`);
      const paths = (await pathsOf(await openNode(url))).split(' ');
      expect(acknowledged.filter((path) => !paths.includes(`mcp_server:${path}`))).toEqual([]);
      expect(paths).toHaveLength(42);
      // Nothing went back in time: no copy was rebuilt.
      expect(nodes.map(({ replica }) => replica.status().epoch)).toEqual([epoch, epoch]);
    }, 180_000);

    it('may lack the last writes if it is asynchronous: then the nodes rebuild their copies', async () => {
      const { first, second, url, takeOver } = await pair([]);
      const nodes = [await openNode(url), await openNode(url)];
      await put(nodes[0]!, '/kept');
      await expect
        .poll(async () => (await ask(second.url, 'SELECT id FROM dowser_entities'))[0]?.id, { timeout: 60_000 })
        .toBe('mcp_server:/kept');
      await second.kill();
      await put(nodes[1]!, '/lost');
      const { epoch } = nodes[1]!.replica.status();
      expect(await nodes[0]!.replica.reached({ epoch, seq: nodes[1]!.replica.status().revision }, 30_000)).toBe(true);
      await first.kill();
      await second.start();
      await takeOver();
      expect(await endEqual(nodes, url, epoch)).toBe('mcp_server:/kept');
    }, 180_000);

    it('is not written to before: writes are refused, and say why', async () => {
      const { first, second, url } = await pair([]);
      const node = await openNode(url);
      await put(node, '/kept');
      const { revision } = node.replica.status();
      const standby = await openNode(second.url);
      const refused = await put(standby, '/late').catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: expect.stringMatching(/^(RECORD_UNAVAILABLE|REPLICA_BEHIND)$/) });
      expect((await ask(first.url, 'SELECT seq FROM dowser_head'))[0]?.seq).toBe(`${revision}`);
    }, 180_000);
  });
}
