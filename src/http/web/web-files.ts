import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** One file of the built page, as it is sent. */
export interface WebFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

/** The files of the built page by their path under `/ui/`, such as `assets/index-1a2b3c.js`. */
export type WebFiles = ReadonlyMap<string, WebFile>;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Made by `npm run build`. The same folder for the sources and for `dist`. */
const BUILT_PAGE = fileURLToPath(new URL('../../../dist/web', import.meta.url));

/** Reads the built page: a few small files. Null if it was not built. */
export function readWebFiles(folder = BUILT_PAGE): WebFiles | null {
  const files = new Map<string, WebFile>();
  let names: readonly string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return null;
  }
  for (const name of names) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    files.set(name.replaceAll('\\', '/'), { type, bytes, gzipped: new Uint8Array(gzipSync(bytes)) });
  }
  return files.has('index.html') ? files : null;
}
