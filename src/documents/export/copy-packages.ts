import { existsSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The folder of a package as Node finds it from another folder. Undefined if it is not installed. */
function packageFolder(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Sources to compile natively and binaries of other platforms: hundreds of megabytes that are not used. */
function isNeeded(path: string, folder: string): boolean {
  const inside = path.slice(folder.length).replaceAll('\\', '/');
  if (/^\/(?:src|scripts|test|docs)(?:\/|$)/.test(inside) && folder.endsWith('sqlite')) return false;
  if (/\.(?:map|d\.ts|d\.mts|d\.cts|md)$/.test(inside)) return false;
  const [, platform, arch] = /\/bin\/napi-v\d+\/(\w+)(?:\/(\w+))?/.exec(inside) ?? [];
  if (platform === undefined) return true;
  return platform === process.platform && (arch === undefined || arch === process.arch);
}

/**
 * Copies installed packages with all that they need. Returns the version of each that was asked for and found. A second
 * version of one package goes below the package that needs it, as npm does it.
 */
export async function copyPackages(
  names: readonly string[],
  root: string,
  target: string,
): Promise<Readonly<Record<string, string>>> {
  const copied = new Map<string, string>();
  const found: Record<string, string> = {};
  const copy = async (name: string, from: string, into: string): Promise<string | undefined> => {
    const folder = packageFolder(name, from);
    if (folder === undefined) return undefined;
    const { version, dependencies = {} } = await manifestOf(folder);
    const known = copied.get(name);
    if (known === version) return version;
    const place = join(known === undefined ? target : into, 'node_modules', name);
    if (known === undefined) copied.set(name, version);
    await cp(folder, place, {
      recursive: true,
      dereference: true,
      filter: (path) => isNeeded(path, folder) && !path.slice(folder.length).includes('node_modules'),
    });
    for (const needed of Object.keys(dependencies)) await copy(needed, folder, place);
    return version;
  };
  for (const name of names) {
    const version = await copy(name, root, target);
    if (version !== undefined) found[name] = version;
  }
  return found;
}
