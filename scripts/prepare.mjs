// Makes a checkout ready to run: installs what is missing and builds what has changed. Needs nothing but Node and npm.
// As a command: `node scripts/prepare.mjs build` installs and builds, `node scripts/prepare.mjs install` only installs.
// With `--omit=dev` it leaves out what only tests, lint and the package need, as `npm start` does.
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

function hashOf(files, texts = []) {
  const hash = createHash('sha256').update(process.versions.modules);
  for (const text of texts) hash.update(text).update('\0');
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

/** Between two looks at how far an install is. */
const PROGRESS_MS = 500;

/** The folders that an install makes. The few packages that depend on the system are not counted. */
function foldersToInstall(tools) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages ?? {})
    .filter(([path, { link, os, cpu }]) => path.startsWith('node_modules/') && !link && !os && !cpu)
    .filter(([, { dev, devOptional }]) => tools || (dev !== true && devOptional !== true))
    .map(([path]) => join(root, path));
}

/** Says how far npm is: a line that is rewritten on a terminal, a line now and then elsewhere. */
function showProgress(folders) {
  const { stderr } = process;
  const label = `Installing ${folders.length} packages`;
  stderr.write(stderr.isTTY ? `${label} ...` : `${label} ...\n`);
  let last = Date.now();
  const timer = setInterval(() => {
    const percent = Math.floor(
      (100 * folders.filter((folder) => existsSync(folder)).length) / Math.max(1, folders.length),
    );
    if (stderr.isTTY) stderr.write(`\r${label} ... ${percent}%`);
    else if (Date.now() - last > 10 * PROGRESS_MS) {
      stderr.write(`${label} ... ${percent}%\n`);
      last = Date.now();
    }
  }, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    if (stderr.isTTY) stderr.write('\n');
  };
}

/** The part of a manifest that an install reads: a new script or version installs nothing. */
function wantedBy(manifest) {
  const { dependencies, devDependencies, peerDependencies, overrides } = JSON.parse(
    readFileSync(join(root, manifest), 'utf8'),
  );
  return JSON.stringify({ dependencies, devDependencies, peerDependencies, overrides });
}

/**
 * Runs `npm ci` when the lockfile is not the one that was installed last. `tools`: also what tests, lint and benchmarks need.
 * Tools that are there stay: a start after a test installs nothing.
 */
export async function ensureInstalled({ tools = true } = {}) {
  checkNode();
  const stamps = {
    run: join(root, 'node_modules', '.dowser-installed'),
    tools: join(root, 'node_modules', '.dowser-tools'),
  };
  const hash = hashOf([join(root, 'package-lock.json')], ['package.json', 'scripts/package.json'].map(wantedBy));
  const withTools = tools || existsSync(stamps.tools);
  // Somebody may have removed some of it since.
  const isInstalled = () => isFresh(withTools ? stamps.tools : stamps.run, hash) && existsSync(compiler);
  if (isInstalled()) return;
  await otherInstall();
  if (isInstalled()) return;
  // npm's own warnings (its settings, install scripts that are not needed) say nothing a user could act on.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const omit = withTools ? [] : ['--omit=dev'];
  const args = [
    'ci',
    ...omit,
    '--prefer-offline',
    '--no-progress',
    '--no-update-notifier',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
  ];
  const child = spawn(npm, args, {
    cwd: root,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', process.stderr],
  });
  const stopProgress = showProgress(foldersToInstall(withTools));
  if (child.pid !== undefined) {
    mkdirSync(dirname(installing), { recursive: true });
    writeFileSync(installing, String(child.pid));
  }
  const code = await ended(child);
  stopProgress();
  rmSync(installing, { force: true });
  if (Object.values(STOPPED).includes(code)) process.exit(code);
  if (code !== 0) {
    console.error(
      'error: the dependencies could not be installed. npm says why above; without a network, its cache must have them.',
    );
    process.exit(code);
  }
  for (const stamp of withTools ? [stamps.run, stamps.tools] : [stamps.run]) writeFileSync(stamp, hash);
}

function sourceFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
}

/**
 * Compiles `src` to `dist`, and the web page to `dist/web`, when something changed since the last time. `types`: also checks
 * the types and writes those of the library, which takes ten times as long and needs the test tools.
 */
export function ensureBuilt({ types = true } = {}) {
  const dist = join(root, 'dist');
  const stamps = { js: join(dist, '.dowser-built'), types: join(dist, '.dowser-types') };
  const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'vite.config.ts'].map((file) =>
    join(root, file),
  );
  const hash = hashOf([...settings, ...sourceFiles(join(root, 'src'))]);
  const compile = (...args) => runNode([compiler, '-p', 'tsconfig.build.json', ...args]);
  if (!isFresh(stamps.js, hash)) {
    console.error('Building ...');
    rmSync(dist, { recursive: true, force: true });
    compile('--noCheck', '--declaration', 'false');
    runNode([bundler, 'build', '--logLevel', 'warn']);
    chmodSync(join(dist, 'cli', 'main.js'), 0o755);
    writeFileSync(stamps.js, hash);
  }
  if (!types || isFresh(stamps.types, hash)) return;
  console.error('Building the types ...');
  compile('--emitDeclarationOnly');
  writeFileSync(stamps.types, hash);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const isLean = process.argv.includes('--omit=dev');
  await ensureInstalled({ tools: !isLean });
  if (process.argv[2] !== 'install') ensureBuilt({ types: !isLean });
}
