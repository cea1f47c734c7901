import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/dowser-servers/', import.meta.url));

/** The packages of Debian that a program comes from, with the libraries that no system has by itself. */
const PACKAGES = {
  haproxy: ['haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'],
  nginx: ['nginx'],
  pgbouncer: ['pgbouncer', 'libc-ares2', 'libevent-2.1-7'],
} as const;

export interface DebianProgram {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * A program of this system, or of Debian's packages, unpacked beside the servers of other tests. apt checks the signatures.
 * `missing`, said loudly, where it cannot be had.
 */
export function debianProgram(name: keyof typeof PACKAGES): DebianProgram | { readonly missing: string } {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/bin'];
  const own = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (own !== undefined) return { path: own, env: process.env };
  try {
    const root = unpacked(name);
    const libraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((folder) => join(root, 'usr', 'lib', folder));
    const program = {
      path: join(root, 'usr', 'sbin', name),
      env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') },
    };
    execFileSync(program.path, [name === 'pgbouncer' ? '--version' : '-v'], { env: program.env, stdio: 'pipe' });
    return program;
  } catch (error) {
    const missing = `${name} is not installed, and apt-get did not bring one: ${String((error as Error).message).split('\n')[0]}`;
    process.stderr.write(`\nNO ${name.toUpperCase()}: ${missing}\n`);
    return { missing };
  }
}

/** Several processes may do so at the same time. */
function unpacked(name: keyof typeof PACKAGES): string {
  const root = join(CACHE, `debian-${name}`);
  if (existsSync(root)) return root;
  const work = `${root}-${process.pid}`;
  try {
    mkdirSync(join(work, 'root'), { recursive: true });
    execFileSync('apt-get', ['download', ...PACKAGES[name]], { cwd: work, stdio: 'pipe', timeout: 60_000 });
    for (const file of readdirSync(work).filter((one) => one.endsWith('.deb')))
      execFileSync('dpkg-deb', ['-x', join(work, file), join(work, 'root')], { stdio: 'pipe' });
    if (!existsSync(root)) renameSync(join(work, 'root'), root);
    return root;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
