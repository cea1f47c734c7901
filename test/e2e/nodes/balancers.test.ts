import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { parseSettings } from '../../../src/config.ts';
import type { ReplicaEngine } from '../../../src/engines/shared/replica-engine.ts';
import { openKeys } from '../../../src/open-keys.ts';
import { type DebianProgram, debianProgram } from '../../support/debian-programs.ts';
import { indexed, server, temporaryFolder } from '../../support/engine-fixtures.ts';
import { ask, newSchema, usePostgres } from '../../support/postgres.ts';
import { allCaughtUp, openNode } from '../../support/shared-nodes.ts';
import { Sandbox } from '../cli-process.ts';

/** The recipes of `deploy`, run as they are but for addresses, the certificate and where nginx keeps its files. */
const recipe = (name: string) => readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');

const NOW = new Date('2026-03-01T12:00:00.000Z');

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

async function freePort(): Promise<number> {
  const probe = createTcpServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

function replaced(text: string, ...pairs: readonly (readonly [string | RegExp, string])[]): string {
  return pairs.reduce((now, [from, to]) => {
    const next = now.replace(from, to);
    if (next === now) throw new Error(`The recipe has no ${String(from)}.`);
    return next;
  }, text);
}

const addresses = (ports: readonly number[]) =>
  ports.map((port, n) => [`10.0.0.${n + 1}:7470`, `127.0.0.1:${port}`] as const);

interface Balancer {
  readonly url: string;
  /** Takes the first node out, as its page says, before it is stopped. */
  takeOut(): Promise<void>;
}

async function launched(program: DebianProgram, args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(program.path, args, { env: program.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream!.on('data', (part: Buffer) => {
      said += part.toString();
    });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${program.path} ended: ${said}`);
    await wait(50);
  }
  return child;
}

function folderFor(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

async function startHaproxy(program: DebianProgram, ports: readonly number[]): Promise<Balancer> {
  const port = await freePort();
  const file = join(folderFor(), 'haproxy.cfg');
  const text = replaced(recipe('haproxy.cfg'), ...addresses(ports), [/bind :443 .*/, `bind 127.0.0.1:${port}`]);
  writeFileSync(file, text);
  await launched(program, ['-db', '-f', file], port);
  // A node that drains says so itself.
  return { url: `http://127.0.0.1:${port}`, takeOut: async () => {} };
}

async function startNginx(program: DebianProgram, ports: readonly number[]): Promise<Balancer> {
  const port = await freePort();
  const dir = folderFor();
  mkdirSync(join(dir, 'temp'));
  const file = join(dir, 'nginx.conf');
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temp/${name};`);
  const config = (own: readonly (readonly [string | RegExp, string])[]) => {
    const text = replaced(
      recipe('nginx-nodes.conf'),
      ...addresses(ports),
      ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
      [/ssl_certificate .*/, ''],
      [/ssl_certificate_key .*/, ''],
      ...own,
    );
    return `daemon off; user root; pid nginx.pid; error_log stderr; events {} http { access_log off; ${places.join(' ')}\n${text} }`;
  };
  // All clients of a test have one address, and would get one node.
  writeFileSync(file, config([['ip_hash;', 'least_conn;']]));
  const args = ['-p', dir, '-e', 'stderr', '-c', file];
  await launched(program, args, port);
  return {
    url: `http://127.0.0.1:${port}`,
    async takeOut() {
      const first = `127.0.0.1:${ports[0]} max_fails=2 fail_timeout=5s`;
      writeFileSync(
        file,
        config([
          ['ip_hash;', 'least_conn;'],
          [first, `${first} down`],
        ]),
      );
      execFileSync(program.path, [...args, '-s', 'reload'], { env: program.env, stdio: 'pipe' });
      // Workers of before end the requests that they have.
      await wait(1_000);
    },
  };
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Without the headers that `fetch` decides. A connection that breaks is status 0. */
function send(url: string, method: string, headers: Record<string, string> = {}, body = ''): Promise<Answered> {
  return new Promise((resolve) => {
    const sent = request(url, {
      method,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      agent: false,
    });
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', () => resolve({ status: 0, headers: {}, text }));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    sent.on('error', (error) => resolve({ status: 0, headers: {}, text: String(error) }));
    sent.end(body);
  });
}

/** Stands for a node: it says who it is and what came, or breaks the connection once it has read a request. */
async function standIns() {
  const got: string[] = [];
  const breaks = { isOn: false };
  const servers: Server[] = [];
  for (const name of ['node1', 'node2', 'node3']) {
    const standIn = createServer((asked, response) => {
      if (asked.url === '/ready')
        return void response.writeHead(asked.headers.host === undefined ? 400 : 200).end('{}');
      asked.resume().on('end', () => {
        got.push(`${name} ${asked.method}`);
        if (breaks.isOn) return void asked.socket.destroy();
        response.setHeader('Dowser-Revision', 'e.7');
        response.end(JSON.stringify({ name, headers: asked.headers }));
      });
    }).listen(0, '127.0.0.1');
    await once(standIn, 'listening');
    servers.push(standIn);
  }
  onTestFinished(() => {
    for (const standIn of servers) {
      standIn.closeAllConnections();
      standIn.close();
    }
  });
  return { got, breaks, ports: servers.map((standIn) => (standIn.address() as AddressInfo).port) };
}

const BALANCERS = [
  ['haproxy', startHaproxy, { DOWSER_DRAIN_MS: '4000' }],
  ['nginx', startNginx, {}],
] as const;

it('compose.nodes.yaml has a configuration that HAProxy takes', () => {
  const program = debianProgram('haproxy');
  if ('missing' in program) return expect(program.missing).toContain('haproxy');
  const { configs } = parse(recipe('../compose.nodes.yaml')) as { configs: { haproxy: { content: string } } };
  const file = join(folderFor(), 'haproxy.cfg');
  writeFileSync(file, configs.haproxy.content);
  execFileSync(program.path, ['-c', '-f', file], { env: program.env, stdio: 'pipe' });
  writeFileSync(file, configs.haproxy.content.replace('leastconn', 'leastcon'));
  expect(() => execFileSync(program.path, ['-c', '-f', file], { env: program.env, stdio: 'pipe' })).toThrow();
});

describe.each(BALANCERS)('%s with the recipe of deploy', (name, start, settings) => {
  const program = debianProgram(name);
  if ('missing' in program || postgres === null) {
    it('says what it lacks', () => {
      expect(program).toMatchObject({ missing: expect.stringContaining(name) });
    });
    return;
  }

  it('sends a write once, whatever becomes of it', async () => {
    const { got, breaks, ports } = await standIns();
    const { url } = await start(program, ports);
    await expect.poll(async () => (await send(`${url}/x`, 'GET')).status, { timeout: 30_000 }).toBe(200);
    breaks.isOn = true;
    for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
      got.length = 0;
      const { status } = await send(`${url}/x`, method, {}, '{}');
      expect([method, status, got.length]).toEqual([method, 502, 1]);
      // A node that broke a connection is left out for a while, and comes back.
      breaks.isOn = false;
      await expect.poll(async () => (await send(`${url}/x`, 'GET')).status, { timeout: 30_000 }).toBe(200);
      breaks.isOn = true;
    }
  }, 120_000);

  it('passes on what Dowser needs, and the address of the client last', async () => {
    const { ports } = await standIns();
    const { url } = await start(program, ports);
    const headers = { Host: 'tools.example.com', 'Dowser-Revision': 'e.6', 'X-Forwarded-For': '203.0.113.9' };
    await expect.poll(async () => (await send(`${url}/x`, 'GET')).status, { timeout: 30_000 }).toBe(200);
    const answer = await send(`${url}/x`, 'GET', { ...headers, Authorization: 'Bearer x' });
    expect(answer.headers['dowser-revision']).toBe('e.7');
    const came = JSON.parse(answer.text).headers;
    expect(came).toMatchObject({ host: 'tools.example.com', 'dowser-revision': 'e.6', authorization: 'Bearer x' });
    const forwarded = String(came['x-forwarded-for']).split(',');
    expect(forwarded.at(-1)!.trim()).toBe('127.0.0.1');
    if (name !== 'haproxy') return;
    const cookie = String(answer.headers['set-cookie']?.[0]).split(';')[0]!;
    const nodes = new Set<string>();
    for (let n = 0; n < 9; n++) nodes.add(JSON.parse((await send(`${url}/x`, 'GET', { Cookie: cookie })).text).name);
    expect([...nodes]).toEqual([cookie.split('=')[1]]);
  }, 60_000);

  it('fails no request while a node is drained and stopped, and each client reads its own writes', async () => {
    const sandbox = await Sandbox.open();
    onTestFinished(() => sandbox.close());
    const store = await newSchema(postgres);
    const keys = await openKeys(parseSettings({ store, data_dir: join(sandbox.dir, 'operator') }));
    const created = await keys.create({ name: 'all', groups: [], scopes: ['admin'], expiresAt: null }, NOW);
    await keys.close();
    const env = { ...settings, DOWSER_STORE: store, DOWSER_AUTH: 'true', DOWSER_TRUSTED_PROXIES: '127.0.0.1' };
    const nodes = [];
    for (const node of ['a', 'b', 'c'])
      nodes.push(await sandbox.serve([], { ...env, DOWSER_DATA: join(sandbox.dir, node) }));
    const { url, takeOut } = await start(
      program,
      nodes.map((node) => Number(new URL(node.url).port)),
    );
    const headers = { Authorization: `Bearer ${created.key}`, 'Content-Type': 'application/json' };
    await expect.poll(async () => (await send(`${url}/ready`, 'GET')).status, { timeout: 60_000 }).toBe(200);

    const failed: string[] = [];
    let written = 0;
    let isOver = false;
    const client = async (who: number) => {
      for (let n = 0; !isOver; n++) {
        const at = `${url}/api/entities/mcp_server/c${who}-${n}`;
        const put = await send(at, 'PUT', headers, JSON.stringify({ name: `c${who}-${n}`, description: 'copper' }));
        if (put.status !== 201) failed.push(`PUT ${put.status} ${put.text}`);
        const revision = String(put.headers['dowser-revision']);
        const read = await send(at, 'GET', { ...headers, 'Dowser-Revision': revision });
        if (read.status !== 200) failed.push(`GET ${read.status} ${read.text}`);
        written++;
        await wait(20);
      }
    };
    const clients = [0, 1, 2, 3].map(client);
    await expect.poll(() => written, { timeout: 60_000 }).toBeGreaterThan(20);
    await takeOut();
    expect(await nodes[0]!.stop('SIGTERM')).toBe(0);
    const before = written;
    await expect.poll(() => written, { timeout: 60_000 }).toBeGreaterThan(before + 20);
    isOver = true;
    await Promise.all(clients);
    expect(failed).toEqual([]);
  }, 180_000);
});

describe('PgBouncer with a pool of sessions', () => {
  const program = debianProgram('pgbouncer');
  if ('missing' in program || postgres === null) {
    it('says what it lacks', () => {
      expect(program).toMatchObject({ missing: expect.stringContaining('pgbouncer') });
    });
    return;
  }

  it('serves nodes as PostgreSQL does: turns, notices and leases are kept', async () => {
    await ask(postgres.url, 'CREATE DATABASE pooled');
    const port = await freePort();
    const file = join(folderFor(), 'pgbouncer.ini');
    const settings = [
      'listen_addr=127.0.0.1',
      `listen_port=${port}`,
      'auth_type=any',
      'pool_mode=session',
      'unix_socket_dir=',
    ];
    const database = `pooled = host=127.0.0.1 port=${postgres.port} user=dowser`;
    writeFileSync(file, `[databases]\n${database}\n[pgbouncer]\n${settings.join('\n')}\n`);
    chmodSync(dirname(file), 0o755);
    await launched(program, process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file], port);
    const url = `postgres://dowser@127.0.0.1:${port}/pooled`;
    const nodes = [await openNode(url), await openNode(url)];
    const [a, b] = nodes as [ReplicaEngine, ReplicaEngine];
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => nodes[n % 2]!.store.put([indexed(server(`/s${n}`, 'copper'))])),
    );
    await allCaughtUp(a, b);
    for (const { store } of nodes) expect((await store.scan({ limit: 100 })).entities).toHaveLength(40);
    await expect.poll(() => nodes.filter(({ replica }) => replica.leads('one')).length, { timeout: 30_000 }).toBe(1);
  }, 120_000);
});
