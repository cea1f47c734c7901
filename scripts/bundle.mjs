// `npm run bundle`: writes dowser-VERSION-SYSTEM.mcpb, which Claude Desktop installs by a double click. It has Dowser, its
// packages, the model and the runtime of this system, so it needs neither npm nor a network.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32, deflateRawSync } from 'node:zlib';
import { ensureBuilt, ensureInstalled, root } from './prepare.mjs';

const SYSTEM = `${process.platform}-${process.arch}`;
const MAIN = 'server/node_modules/dowser/dist/cli/main.js';

/** What the bundle says of itself, by the MCPB manifest 0.3. */
function manifestOf({ version, description, license, engines }) {
  return {
    manifest_version: '0.3',
    name: 'dowser',
    display_name: 'Dowser',
    version,
    description,
    license,
    author: { name: 'The authors of Dowser' },
    server: {
      type: 'node',
      entry_point: MAIN,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${MAIN}`, 'mcp'],
        env: { DOWSER_MODELS: `\${__dirname}/models` },
      },
    },
    tools_generated: true,
    compatibility: { platforms: [process.platform], runtimes: { node: engines.node } },
  };
}

/** Not needed to run: types, maps, pages, and native parts of other systems. */
function isNeeded(path) {
  if (/\.(?:d\.ts|d\.mts|d\.cts|map|md)$|\/\.bin\/|\/\.package-lock\.json$/.test(path)) return false;
  if (/\/node_modules\/dowser\/(?:docs|images|deploy)\//.test(path)) return false;
  if (/\/@photostructure\/sqlite\/(?:src|scripts|binding\.gyp)/.test(path)) return false;
  const [, system] = /\/prebuilds\/([^/]+)\//.exec(path) ?? [];
  return system === undefined || system === SYSTEM;
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/**
 * Writes a bundle. `modules`: a `node_modules` with Dowser and its packages. `models`: folders of models and of the runtime.
 * Returns the path of the bundle.
 */
export function writeBundle({ modules, models, folder }) {
  const manifest = manifestOf(JSON.parse(readFileSync(join(modules, 'dowser', 'package.json'), 'utf8')));
  const out = join(folder, `dowser-${manifest.version}-${SYSTEM}.mcpb`);
  const named = (from, to) =>
    filesIn(from).map((file) => [file, `${to}${file.slice(from.length).replaceAll('\\', '/')}`]);
  const files = [
    ...named(modules, 'server/node_modules').filter(([, name]) => isNeeded(name)),
    ...models.flatMap((model) => named(model, `models/${basename(model)}`)),
  ];
  const zip = openZip(out);
  zip.add('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
  for (const [file, name] of files) zip.add(name, readFileSync(file));
  zip.close();
  return out;
}

/** The first day of a ZIP: the same files give the same bundle. */
const DATE = 0x21;
const UTF8 = 0x800;
const DEFLATED = 8;
const VERSION = 20;

/** Writes a ZIP archive, file by file. */
function openZip(path) {
  const file = openSync(path, 'w');
  const directory = [];
  let at = 0;
  const write = (bytes) => {
    writeSync(file, bytes);
    at += bytes.length;
  };
  return {
    add(name, bytes) {
      const packed = deflateRawSync(bytes);
      const nameBytes = Buffer.from(name);
      const facts = Buffer.alloc(26);
      facts.writeUInt16LE(VERSION, 0);
      facts.writeUInt16LE(UTF8, 2);
      facts.writeUInt16LE(DEFLATED, 4);
      facts.writeUInt16LE(DATE, 8);
      facts.writeUInt32LE(crc32(bytes), 10);
      facts.writeUInt32LE(packed.length, 14);
      facts.writeUInt32LE(bytes.length, 18);
      facts.writeUInt16LE(nameBytes.length, 22);
      const offset = Buffer.alloc(14);
      offset.writeUInt32LE(at, 10);
      directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts, offset, nameBytes]));
      write(Buffer.concat([Buffer.from('PK\x03\x04'), facts, nameBytes]));
      write(packed);
    },
    close() {
      const start = at;
      for (const entry of directory) write(entry);
      const end = Buffer.alloc(22);
      end.write('PK\x05\x06');
      end.writeUInt16LE(directory.length, 8);
      end.writeUInt16LE(directory.length, 10);
      end.writeUInt32LE(at - start, 12);
      end.writeUInt32LE(start, 16);
      write(end);
      closeSync(file);
    },
  };
}

async function main() {
  await ensureInstalled();
  ensureBuilt();
  const work = mkdtempSync(join(tmpdir(), 'dowser-bundle-'));
  const npm = (args, cwd) => {
    const options = {
      cwd,
      shell: process.platform === 'win32',
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    };
    const done = spawnSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', [...args, '--loglevel=error'], options);
    if (done.status !== 0) throw new Error(`npm ${args[0]} failed.`);
    return done.stdout;
  };
  try {
    const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', work], root));
    const server = join(work, 'server');
    mkdirSync(server);
    writeFileSync(join(server, 'package.json'), '{"private":true}');
    npm(['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', join(work, filename)], server);
    const { ensureLocalFiles } = await import(pathToFileURL(join(root, 'dist/embedders/onnx/local-files.js')).href);
    const { model, runtime } = await ensureLocalFiles(undefined);
    const modules = join(server, 'node_modules');
    console.log(writeBundle({ modules, models: [model.dir, dirname(runtime)], folder: root }));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
