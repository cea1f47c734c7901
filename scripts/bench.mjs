// `npm run bench`: prepares the checkout and the peers it is compared with, then measures. Arguments go to bench/main.ts.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, runNode } from './prepare.mjs';

const peers = join(root, 'bench', 'peers');

/** The peers are no dependencies of Dowser. One that cannot be had is reported by the benchmark and stops nothing. */
function installPeers() {
  const wanted = readFileSync(join(peers, 'package-lock.json'), 'utf8');
  const stamp = join(peers, 'node_modules', '.dowser-installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing the peers ...');
  // Not `npm ci`: a lockfile made where packages for other systems cannot be had is incomplete to it.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const done = spawnSync(npm, ['install', '--no-save', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], {
    cwd: peers,
    shell: process.platform === 'win32',
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (done.status === 0) writeFileSync(stamp, wanted);
  else console.error('warning: the peers could not be installed; those that are missing will be shown as failed.');
}

await ensureInstalled();
ensureBuilt();
installPeers();
runNode(['--import', 'tsx', join('bench', 'main.ts'), ...process.argv.slice(2)]);
