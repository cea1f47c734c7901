import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A real graph server that speaks Cypher over Bolt: FalkorDB, loaded into Valkey. Both are fetched once, checked, and kept;
 * the package comes from npm, the rest from the Debian mirror of this machine. Linux x64 only.
 */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/dowser-graph-server/', import.meta.url));
const MODULE = {
  name: '@falkordblite/linux-x64@8.2.3-falkordb.4.16.3',
  file: join('package', 'bin', 'falkordb.so'),
};
const DEBS = [
  [
    'pool/main/v/valkey/valkey-tools_8.0.1+dfsg1-1~bpo12+1_amd64.deb',
    'd2c2ea67642fa9571a07138b80ae52ebe566311c952aef25a39c1d5050697853',
  ],
  [
    'pool/main/j/jemalloc/libjemalloc2_5.3.0-1_amd64.deb',
    'a4117c23c5c8acf6c9678a6cb086f000b79476369da7efe8a78a70826956ad3d',
  ],
  ['pool/main/libl/liblzf/liblzf1_3.6-3_amd64.deb', '9854b0866201b63e04f1e446f45f01ef4a6f72c61f2250b75f944f6046cc7e8c'],
] as const;

interface Installed {
  readonly server: string;
  readonly module: string;
  readonly libraries: string;
}

/** What can be started here, or why nothing can. */
export async function ensureGraphServer(): Promise<Installed | { readonly missing: string }> {
  if (platform() !== 'linux' || arch() !== 'x64') return { missing: `there is none for ${platform()} ${arch()}` };
  const installed = {
    server: join(CACHE, 'usr', 'bin', 'valkey-server'),
    module: join(CACHE, MODULE.file),
    libraries: join(CACHE, 'usr', 'lib', 'x86_64-linux-gnu'),
  };
  if (existsSync(installed.server) && existsSync(installed.module)) return installed;
  const folder = `${CACHE.replace(/\/$/, '')}-${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    await install(folder);
    if (!existsSync(installed.server)) {
      rmSync(CACHE, { recursive: true, force: true });
      renameSync(folder, CACHE);
    }
    return installed;
  } catch (error) {
    return { missing: (error as Error).message };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function install(folder: string): Promise<void> {
  execFileSync('npm', ['pack', '--silent', MODULE.name, '--pack-destination', folder], { stdio: 'pipe' });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  execFileSync('tar', ['xzf', join(folder, tarball), '-C', folder]);
  const mirror = debianMirror();
  for (const [path, sha256] of DEBS) {
    const response = await fetch(`${mirror}/${path.replaceAll('+', '%2B')}`);
    if (!response.ok) throw new Error(`the Debian mirror answers ${response.status} for ${path}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error(`${path} has another checksum`);
    writeFileSync(join(folder, 'one.deb'), bytes);
    execFileSync('dpkg-deb', ['-x', join(folder, 'one.deb'), folder]);
  }
  // One program with several names.
  renameSync(join(folder, 'usr', 'bin', 'valkey-check-rdb'), join(folder, 'usr', 'bin', 'valkey-server'));
}

/** The mirror that apt uses. */
function debianMirror(): string {
  const folder = '/etc/apt/sources.list.d';
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
  ];
  for (const file of files.filter((name) => existsSync(name))) {
    const found = /^(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s*)?)(https?:\/\/\S+\/debian)\/?(?:\s|$)/m.exec(
      readFileSync(file, 'utf8'),
    );
    if (found !== null) return found[1]!;
  }
  throw new Error('this machine has no Debian mirror');
}

export interface GraphServer {
  readonly url: string;
  /** Kills it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again at the same address, empty. */
  start(): Promise<void>;
}

/** Starts a server on free loopback ports. Kill it at the end. */
export async function startGraphServer({ server, module, libraries }: Installed): Promise<GraphServer> {
  const port = await freePort();
  const boltPort = await freePort();
  let child: ChildProcess | null = null;
  const start = async () => {
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--daemonize', 'no'];
    const env = { ...process.env, LD_LIBRARY_PATH: libraries };
    child = spawn(server, [...args, '--loadmodule', module, 'BOLT_PORT', `${boltPort}`], { stdio: 'ignore', env });
    await untilOpen(boltPort);
  };
  const kill = async () => {
    const running = child;
    if (running === null || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
  };
  await start();
  return { url: `bolt://127.0.0.1:${boltPort}`, kill, start };
}

/** The server takes ports below 32768 only. */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); port < 32_768; port++) {
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(!taken.has(port))));
    });
    if (!isFree) continue;
    taken.add(port);
    return port;
  }
  throw new Error('There is no free port.');
}
const taken = new Set<number>();

async function untilOpen(port: number): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
