import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { PostgresRecord } from '../../../src/engines/shared/postgres/postgres-record.ts';
import { TABLE_STEPS } from '../../../src/engines/shared/postgres/tables.ts';
import { DowserError } from '../../../src/model/errors/errors.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { ask, newSchema, usePostgres } from '../../support/postgres.ts';
import { Sandbox } from '../cli-process.ts';

const COUNTER = fileURLToPath(new URL('../../support/node-counter.ts', import.meta.url));
/** How long each phase of the storm lasts. `PHASE_MS=12000` for a minute in all. */
const PHASE_MS = Number(process.env.PHASE_MS ?? 1500);

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

let sandbox: Sandbox;
let nodes = 0;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

/** A node that has read the record, as a load balancer waits for it. */
async function startNode(store: string, data = join(sandbox.dir, `node${nodes++}`)) {
  const node = await sandbox.serve([], { DOWSER_STORE: store, DOWSER_DATA: data });
  await expect.poll(async () => (await fetch(`${node.url}/ready`)).status).toBe(200);
  return node;
}
type ServedNode = Awaited<ReturnType<typeof startNode>>;

const serverAt = (path: string) => ({ name: path, description: `copper kettle ${path}` });
const putServer = (client: ReturnType<typeof createClient>, path: string) =>
  client.putEntity({ params: { type: 'mcp_server', path }, body: serverAt(path) as never });

/** Everything that a caller can see of a node, as one text. */
async function portrait({ url }: ServedNode): Promise<string> {
  const client = createClient({ baseUrl: url });
  const { index } = await client.health();
  const { results } = await client.search({ body: { query: 'copper kettle', max_results: 50 } });
  const { by_type, entities, units } = index;
  const hits = results.map((hit) => [hit.path, hit.relevance_score, hit.confidence]);
  return JSON.stringify({ by_type, entities, units, hits });
}

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  describe('processes that share a record', () => {
    it('read what was written through another, wait for it, and say when they are ready', async () => {
      const store = (await newSchema(postgres)).replace('dowser@', 'dowser:hunter2@');
      const [a, b] = await Promise.all([startNode(store), startNode(store)]);
      const balanced = createClient({
        baseUrl: 'http://balanced.test',
        fetch: (url, init) => {
          const node = init?.method === 'PUT' ? a : b;
          return fetch(String(url).replace('http://balanced.test', node.url), init);
        },
      });
      for (let n = 0; n < 5; n++) {
        await putServer(balanced, `/copper${n}`);
        expect(await balanced.getEntity({ params: { type: 'mcp_server', path: `/copper${n}` } })).toMatchObject({
          entity: { path: `/copper${n}` },
        });
      }
      const late = await fetch(`${b.url}/api/tags`, { headers: { 'Dowser-Revision': '1000000' } });
      expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await late.json()).toMatchObject({ error: { code: 'REPLICA_BEHIND' } });
      expect((await fetch(`${b.url}/ready`)).status).toBe(200);
      expect((await createClient({ baseUrl: b.url }).health()).replica).toMatchObject({ ready: true });

      await postgres.kill();
      const refused = await putServer(createClient({ baseUrl: a.url }), '/late').catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'RECORD_UNAVAILABLE' });
      await expect
        .poll(async () => (await createClient({ baseUrl: b.url }).health()).replica?.error?.code)
        .toBe('RECORD_UNAVAILABLE');
      expect((await createClient({ baseUrl: b.url }).health()).status).toBe('degraded');
      const report = await (await fetch(`${b.url}/api/health`)).text();
      await postgres.start();
      await a.stop('SIGTERM');
      await b.stop('SIGTERM');
      for (const text of [report, ...[a, b].flatMap(({ output }) => [output.stdout, output.stderr])]) {
        expect(text).not.toContain('hunter2');
      }
    }, 120_000);

    it('may lose the folder of their copy', async () => {
      const store = await newSchema(postgres);
      const data = join(sandbox.dir, 'kept');
      const node = await startNode(store, data);
      await putServer(createClient({ baseUrl: node.url }), '/copper');
      await node.stop('SIGTERM');
      await rm(join(data, 'copy'), { recursive: true });
      const { url } = await startNode(store, data);
      const found = await createClient({ baseUrl: url }).getEntity({ params: { type: 'mcp_server', path: '/copper' } });
      expect(found).toMatchObject({ entity: { path: '/copper' } });
    });

    it('do not write to tables that a later build has changed', async () => {
      const store = await newSchema(postgres);
      const node = await startNode(store);
      const client = createClient({ baseUrl: node.url });
      await putServer(client, '/copper');
      const version = TABLE_STEPS.at(-1)!.version + 1;
      const step = { version, what: 'of a later build', sql: 'ALTER TABLE dowser_entities ADD COLUMN later text' };
      const later = new PostgresRecord(store, { steps: [...TABLE_STEPS, step] });
      const { seq } = await later.open();
      const refused = await putServer(client, '/late').catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'STORE_TOO_NEW', httpStatus: 503 });
      await expect.poll(async () => (await fetch(`${node.url}/ready`)).status, { timeout: 60_000 }).toBe(503);
      const { results } = await client.search({ body: { query: 'copper kettle' } });
      expect(results.map(({ path }) => path)).toEqual(['/copper']);
      expect(await later.head()).toMatchObject({ seq });
      await later.close();
    });

    it('lose no addition: 600 of three', async () => {
      const url = await newSchema(postgres);
      const counters = Array.from({ length: 3 }, () => {
        const args = ['--import', 'tsx', COUNTER, url, join(sandbox.dir, `count${nodes++}`), '200'];
        return once(spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }), 'close');
      });
      expect(await Promise.all(counters)).toEqual([
        [0, null],
        [0, null],
        [0, null],
      ]);
      const [row] = await ask(url, "SELECT json FROM dowser_entities WHERE id = 'mcp_server:/count'");
      expect(JSON.parse(row!.json as string).metadata).toEqual({ n: 600 });
    }, 300_000);

    it('lose no acknowledged write and fail no search when a node and the database are killed', async () => {
      const store = await newSchema(postgres);
      const started = await Promise.all([startNode(store), startNode(store), startNode(store)]);
      const acknowledged: string[] = [];
      const failures: unknown[] = [];
      const living = new Set(started);
      let isOver = false;

      const write = async (node: ServedNode, name: number) => {
        const client = createClient({ baseUrl: node.url });
        for (let n = 0; !isOver && living.has(node); n++) {
          try {
            await putServer(client, `/w${name}-${n}`);
            acknowledged.push(`/w${name}-${n}`);
          } catch (error) {
            const isKilled = !living.has(node);
            const isDown = error instanceof DowserError && error.code === 'RECORD_UNAVAILABLE';
            if (!isKilled && !isDown) failures.push(error);
            await wait(50);
          }
        }
      };
      const search = async (node: ServedNode) => {
        const client = createClient({ baseUrl: node.url });
        while (!isOver && living.has(node)) {
          try {
            await client.search({ body: { query: 'copper kettle' } });
          } catch (error) {
            if (living.has(node)) failures.push(error);
          }
          await wait(10);
        }
      };
      const work = started.flatMap((node, n) => [write(node, n), search(node)]);
      await wait(PHASE_MS);
      living.delete(started[2]!);
      await started[2]!.stop('SIGKILL');
      await wait(PHASE_MS);
      await postgres.kill();
      await wait(PHASE_MS);
      const before = acknowledged.length;
      await postgres.start();
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before);
      await wait(PHASE_MS);
      isOver = true;
      await Promise.all(work);

      expect(failures).toEqual([]);
      const alive = [...living, await startNode(store)];
      const [head] = await ask(store, 'SELECT seq FROM dowser_head');
      for (const { url } of alive) {
        const waits = { 'Dowser-Revision': String(head!.seq) };
        for (const path of acknowledged) {
          const found = await fetch(`${url}/api/entities/mcp_server/${encodeURIComponent(path)}`, { headers: waits });
          expect([path, found.status]).toEqual([path, 200]);
        }
      }
      const portraits = await Promise.all(alive.map(portrait));
      expect(new Set(portraits).size).toBe(1);
    }, 300_000);
  });
}
