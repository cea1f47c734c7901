import { readFileSync } from 'node:fs';

/**
 * Imports a package that only the benchmark installs: this file sits beside their `node_modules`, so their names resolve
 * here and nowhere else. `T` is the part of the package that is used.
 */
export async function importPeer<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}

export function peerVersion(name: string): string {
  const manifest = readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
