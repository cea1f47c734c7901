// Makes a checkout ready to run: installs what is missing and builds what has changed. Needs nothing but Node and npm.
// As a command: `node scripts/prepare.mjs build` installs and builds, `node scripts/prepare.mjs install` only installs.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const bundler = join(root, 'node_modules', 'vite', 'bin', 'vite.js');

/** Exits with the child's own code, so that a failed step looks like itself. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (done.error) {
    console.error(`error: cannot run ${command}: ${done.error.message}`);
    process.exit(1);
  }
  if (done.status !== 0) process.exit(done.status ?? 1);
}

export function runNode(args, options = {}) {
  run(process.execPath, args, options);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`error: Dowser needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

function hashOf(files) {
  const hash = createHash('sha256').update(process.versions.modules);
  for (const file of files) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function isFresh(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** Holds the process id of an install that is under way. Not in `node_modules`, which an install empties. */
const installing = join(root, '.cache', 'installing');
/** Between two looks at an install of somebody else. */
const LOOK_MS = 300;
/** By then it is over, and its process id may be another's. */
const MAX_INSTALL_MS = 15 * 60_000;

function pidOfInstall() {
  try {
    const pid = Number(readFileSync(installing, 'utf8'));
    if (!(pid > 0) || Date.now() - statSync(installing).mtimeMs > MAX_INSTALL_MS) return null;
    process.kill(pid, 0);
    return pid;
  } catch {
    // No install, or one that is over.
    return null;
  }
}

/** Two installs at once would each remove what the other puts there. */
async function otherInstall() {
  const pid = pidOfInstall();
  if (pid === null) return;
  console.error(`Waiting for another install to end (process ${pid}) ...`);
  while (pidOfInstall() !== null) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** What stops a command, and the code that it then exits with. */
const STOPPED = { SIGINT: 130, SIGTERM: 143 };

/** Ends when the child has ended, also when it is stopped: npm takes a while. A terminal's Ctrl-C reaches the child by itself. */
function ended(child) {
  let stoppedBy = null;
  const stop = (signal) => {
    if (stoppedBy === null) console.error('Stopping the install ...');
    if (stoppedBy !== null) child.kill('SIGKILL');
    else if (signal === 'SIGTERM') child.kill(signal);
    stoppedBy = signal;
  };
  for (const signal of Object.keys(STOPPED)) process.on(signal, stop);
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`error: cannot run npm: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code) => {
      for (const signal of Object.keys(STOPPED)) process.off(signal, stop);
      resolve(stoppedBy === null ? (code ?? 1) : STOPPED[stoppedBy]);
    });
  });
}

/** Runs `npm ci` when the lockfile is not the one that was installed last. */
export async function ensureInstalled() {
  checkNode();
  const stamp = join(root, 'node_modules', '.dowser-installed');
  const hash = hashOf([join(root, 'package.json'), join(root, 'package-lock.json')]);
  // Somebody may have removed some of it since.
  const isInstalled = () => isFresh(stamp, hash) && existsSync(compiler);
  if (isInstalled()) return;
  await otherInstall();
  if (isInstalled()) return;
  console.error('Installing dependencies ...');
  // npm's own warnings (its settings, install scripts that are not needed) say nothing a user could act on.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn(npm, args, {
    cwd: root,
    shell: process.platform === 'win32',
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (child.pid !== undefined) {
    mkdirSync(dirname(installing), { recursive: true });
    writeFileSync(installing, String(child.pid));
  }
  const code = await ended(child);
  rmSync(installing, { force: true });
  if (Object.values(STOPPED).includes(code)) process.exit(code);
  if (code !== 0) {
    console.error(
      'error: the dependencies could not be installed. npm says why above; without a network, its cache must have them.',
    );
    process.exit(code);
  }
  writeFileSync(stamp, hash);
}

function sourceFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
}

/** Compiles `src` to `dist`, and the web page to `dist/web`, when something changed since the last time. */
export function ensureBuilt() {
  const dist = join(root, 'dist');
  const stamp = join(dist, '.dowser-built');
  const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'vite.config.ts'].map((file) =>
    join(root, file),
  );
  const hash = hashOf([...settings, ...sourceFiles(join(root, 'src'))]);
  if (isFresh(stamp, hash)) return;
  console.error('Building ...');
  rmSync(dist, { recursive: true, force: true });
  runNode([compiler, '-p', 'tsconfig.build.json']);
  runNode([bundler, 'build', '--logLevel', 'warn']);
  chmodSync(join(dist, 'cli', 'main.js'), 0o755);
  writeFileSync(stamp, hash);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await ensureInstalled();
  if (process.argv[2] !== 'install') ensureBuilt();
}
