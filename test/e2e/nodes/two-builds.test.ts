import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { DowserError } from '../../../src/model/errors/errors.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { ask, newSchema, usePostgres } from '../../support/postgres.ts';
import { MAIN, Sandbox } from '../cli-process.ts';

const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url));
/** How long writes go on after each step of the upgrade. */
const PHASE_MS = Number(process.env.PHASE_MS ?? 500);

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

/** A copy of this build that has one more step of tables. Returns its command. */
async function laterBuild(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'dowser-later-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await cp(join(PACKAGE, 'dist'), join(dir, 'dist'), { recursive: true });
  for (const name of ['node_modules', 'models', 'package.json']) await symlink(join(PACKAGE, name), join(dir, name));
  const file = join(dir, 'dist/engines/shared/postgres/tables.js');
  const text = await readFile(file, 'utf8');
  const versions = [...text.matchAll(/^ +version: (\d+),$/gm)];
  const version = Number(versions.at(-1)![1]) + 1;
  const step = `{ version: ${version}, what: 'a test', sql: 'ALTER TABLE dowser_entities ADD COLUMN later text' }`;
  const end = text.indexOf('\n];');
  await writeFile(file, `${text.slice(0, end)}\n    ${step},${text.slice(end)}`);
  return join(dir, 'dist/cli/main.js');
}

type Served = Awaited<ReturnType<Sandbox['serve']>>;
const codeOf = (error: unknown) => (error instanceof DowserError ? error.code : String(error));

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  it('three nodes change to a build with other tables: no older node writes after the change, and no search fails', async () => {
    const store = await newSchema(postgres);
    const folder = await mkdtemp(join(tmpdir(), 'dowser-nodes-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const later = await laterBuild();
    const start = async (n: number, main: string): Promise<Served> => {
      const data = join(folder, `node${n}`);
      await mkdir(data, { recursive: true });
      const sandbox = await Sandbox.open(main);
      onTestFinished(() => sandbox.close());
      const node = await sandbox.serve([], { DOWSER_STORE: store, DOWSER_DATA: data });
      await expect.poll(async () => (await fetch(`${node.url}/ready`)).status, { timeout: 60_000 }).toBe(200);
      return node;
    };
    const nodes = [await start(0, MAIN), await start(1, MAIN), await start(2, MAIN)];

    const acknowledged: string[] = [];
    const failures: string[] = [];
    /** What older nodes wrote, and were refused, since the tables changed. */
    let written = 0;
    let refused = 0;
    let isChanged = false;
    const stopping = new Set<number>();
    let isOver = false;
    const write = async (at: number) => {
      for (let n = 0; !isOver; n++) {
        const node = nodes[at]!;
        const isOld = isChanged;
        const path = `/w${at}-${n}`;
        try {
          const body = { name: path, description: `copper kettle ${path}` } as never;
          await createClient({ baseUrl: node.url }).putEntity({ params: { type: 'mcp_server', path }, body });
          acknowledged.push(path);
          if (isOld && olds.has(node)) written++;
        } catch (error) {
          if (olds.has(node) && codeOf(error) === 'STORE_TOO_NEW') refused++;
          else if (!stopping.has(at)) failures.push(`write at ${at}: ${codeOf(error)}`);
        }
        await wait(10);
      }
    };
    const search = async (at: number) => {
      while (!isOver) {
        try {
          if (!stopping.has(at))
            await createClient({ baseUrl: nodes[at]!.url }).search({ body: { query: 'copper kettle' } });
        } catch (error) {
          if (!stopping.has(at)) failures.push(`search at ${at}: ${codeOf(error)}`);
        }
        await wait(10);
      }
    };
    const olds = new Set(nodes);
    const work = [0, 1, 2].flatMap((at) => [write(at), search(at)]);
    for (const at of [0, 1, 2]) {
      await wait(PHASE_MS);
      stopping.add(at);
      await nodes[at]!.stop('SIGTERM');
      nodes[at] = await start(at, later);
      isChanged = true;
      stopping.delete(at);
      for (const node of nodes.filter((one) => olds.has(one))) {
        await expect.poll(async () => (await fetch(`${node.url}/ready`)).status, { timeout: 60_000 }).toBe(503);
      }
    }
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(before + 5);
    isOver = true;
    await Promise.all(work);

    expect(failures).toEqual([]);
    expect([written, refused > 0]).toEqual([0, true]);
    const rows = await ask(store, 'SELECT id FROM dowser_entities');
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((path) => !stored.has(`mcp_server:${path}`))).toEqual([]);
    for (const node of nodes) {
      const stored = async () => (await createClient({ baseUrl: node.url }).health()).index.entities;
      await expect.poll(stored, { timeout: 60_000 }).toBe(rows.length);
    }
  }, 300_000);

  it('a build with the same tables writes beside the older one', async () => {
    const store = await newSchema(postgres);
    const other = await laterBuild();
    await cp(
      join(dirname(MAIN), '../engines/shared/postgres/tables.js'),
      join(dirname(other), '../engines/shared/postgres/tables.js'),
    );
    const urls: string[] = [];
    for (const main of [MAIN, other]) {
      const sandbox = await Sandbox.open(main);
      onTestFinished(() => sandbox.close());
      urls.push((await sandbox.serve([], { DOWSER_STORE: store })).url);
    }
    for (const [n, baseUrl] of [...urls, ...urls].entries()) {
      const body = { name: `w${n}`, description: 'copper kettle' } as never;
      await createClient({ baseUrl }).putEntity({ params: { type: 'mcp_server', path: `/w${n}` }, body });
    }
    for (const url of urls) {
      await expect
        .poll(async () => (await createClient({ baseUrl: url }).health()).index.entities, { timeout: 60_000 })
        .toBe(4);
    }
  }, 120_000);
}
