import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ENTITY_TYPES } from '../src/model/entity-parts/names.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');

/** What each room may import from. Anything not listed is forbidden; a room may always import from itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  model: [],
  search: ['model'],
  turns: ['model'],
  engines: ['model', 'search', 'turns'],
  embedders: ['model', 'turns'],
  graph: ['model', 'engines'],
  recommend: ['model'],
  sources: ['model', 'access'],
  calls: ['model', 'sources'],
  registry: ['model', 'calls', 'search', 'turns', 'engines', 'embedders', 'graph', 'recommend'],
  memories: ['model', 'registry'],
  documents: ['model', 'registry', 'sources'],
  eval: ['model', 'search', 'registry', 'sources', 'embedders'],
  lint: ['model', 'search'],
  access: ['model'],
  standards: ['model'],
  api: ['model', 'registry', 'memories', 'documents', 'standards'],
  http: [
    'model',
    'access',
    'registry',
    'memories',
    'documents',
    'api',
    'mcp',
    'sources',
    'standards',
    'eval',
    'config.ts',
    'open.ts',
    'open-documents.ts',
    'open-keys.ts',
  ],
  peers: ['model', 'turns', 'registry', 'engines', 'embedders', 'sources', 'api'],
  mcp: ['model', 'registry', 'memories', 'documents', 'api'],
  client: ['model', 'registry', 'memories', 'documents', 'api'],
  web: ['client', 'lint', 'model'],
  cli: [
    'model',
    'access',
    'calls',
    'search',
    'registry',
    'memories',
    'documents',
    'sources',
    'standards',
    'api',
    'http',
    'mcp',
    'client',
    'embedders',
    'eval',
    'lint',
    'config.ts',
    'open.ts',
    'open-documents.ts',
    'open-keys.ts',
  ],
  config: ['model', 'search'],
  'config.ts': ['model', 'api', 'config'],
  'open-documents.ts': ['model', 'registry', 'documents', 'config.ts'],
  'open-keys.ts': ['model', 'access', 'engines', 'config.ts'],
  'open.ts': [
    'model',
    'access',
    'calls',
    'registry',
    'memories',
    'documents',
    'engines',
    'embedders',
    'graph',
    'peers',
    'config.ts',
    'open-keys.ts',
  ],
  'index.ts': ['model', 'registry', 'memories', 'documents', 'embedders', 'config.ts', 'open.ts', 'open-documents.ts'],
};

/** From these rooms only types may be taken: the port is public, its adapters are not. */
const PORTS_ONLY: Readonly<Record<string, readonly string[]>> = {
  registry: ['calls', 'engines', 'embedders'],
  graph: ['engines'],
  eval: ['embedders'],
};

/** Past it, a file has more than one idea. */
const MAX_LINES = 350;

interface Import {
  readonly from: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function sourceFiles(): readonly string[] {
  return filesIn(src).filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'));
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8');
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'/gms)) {
    found.push({ from: file, specifier: match[2]!, typeOnly: match[1] !== undefined });
  }
  for (const match of text.matchAll(/^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm)) {
    found.push({ from: file, specifier: (match[1] ?? match[2])!, typeOnly: false });
  }
  return found;
}

const roomOf = (file: string): string => relative(src, file).split(/[\\/]/)[0]!;

const files = sourceFiles();
const imports = files.flatMap(importsOf);

describe('the layers', () => {
  it('are all known', () => {
    const rooms = new Set(files.map(roomOf));
    expect([...rooms].filter((room) => !(room in ARROWS))).toEqual([]);
  });

  it('import only along the arrows', () => {
    const wrong = imports.flatMap(({ from, specifier, typeOnly }) => {
      if (!specifier.startsWith('.')) return [];
      const room = roomOf(from);
      const target = roomOf(resolve(dirname(from), specifier));
      if (room === target) return [];
      const allowed = ARROWS[room]?.includes(target) === true;
      const portOnly = PORTS_ONLY[room]?.includes(target) === true && !typeOnly;
      return allowed && !portOnly ? [] : [`${relative(src, from)} -> ${specifier}`];
    });
    expect(wrong).toEqual([]);
  });

  it('give the page names only, of the model', () => {
    const taken = imports.filter(({ from, typeOnly }) => roomOf(from) === 'web' && !typeOnly);
    const targets = taken.map(({ from, specifier }) => relative(src, resolve(dirname(from), specifier)));
    expect([...new Set(targets.filter((target) => roomOf(join(src, target)) === 'model'))]).toEqual([
      'model/entity-parts/names.ts',
    ]);
  });

  it('keep the core pure: no node modules, no waiting, no clock, no chance', () => {
    const impure = files
      .filter((file) => ['model', 'search', 'recommend', 'lint'].includes(roomOf(file)))
      .flatMap((file) => {
        const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
        const found =
          /from 'node:|\bawait\b|\basync\b|Date\.now|new Date\(|Math\.random|performance\.now|process\./.exec(code);
        return found === null ? [] : [`${relative(src, file)}: ${found[0]}`];
      });
    expect(impure).toEqual([]);
  });

  it('wrap each third-party library in few places', () => {
    // Folders, or single files.
    const owners: Readonly<Record<string, readonly string[]>> = {
      zod: [
        'model',
        'api',
        'config',
        'config.ts',
        'registry',
        'memories',
        'documents',
        'eval',
        'standards',
        'mcp',
        'calls',
      ],
      yaml: ['sources/formats/front-matter.ts', 'sources/formats/yaml-document.ts'],
      'jsonc-parser': ['sources/formats/json-with-comments.ts'],
      jose: ['access/oidc-tokens.ts'],
      mongodb: ['sources/mongodb/mongodb-server.ts'],
      bson: ['sources/mongodb/bson-documents.ts'],
      ignore: ['documents/scan/ignore-rules.ts'],
      hono: ['http'],
      '@hono/node-server': ['http/server.ts', 'http/exported/main.ts'],
      '@photostructure/sqlite': [
        'access/file-keys.ts',
        'engines/embedded/record/database.ts',
        'embedders/wrappers/sqlite-vector-cache.ts',
        'sources/kinds/memory-database.ts',
      ],
      'onnxruntime-common': ['embedders/onnx/session.ts'],
      '@aws-sdk/client-bedrock-runtime': ['embedders/remote/bedrock.ts'],
      '@huggingface/tokenizers': ['embedders/onnx/text-encoder.ts'],
      ajv: ['calls/arguments/check-arguments.ts'],
      '@modelcontextprotocol/client': ['sources/mcp', 'calls/send-call.ts'],
      '@modelcontextprotocol/server': ['mcp'],
      'chrono-node': ['memories/time/time-words.ts'],
      commander: ['cli/run.ts', 'cli/context/usage-error.ts'],
      '@opentelemetry/api': ['http/log/tracing.ts'],
      'prom-client': ['http/metrics/prometheus.ts'],
      pino: ['http/log/logger.ts'],
      pg: ['engines/shared/postgres/connection.ts'],
      htmlparser2: ['documents/read/formats'],
      unpdf: ['documents/read/formats/pdf.ts'],
      'neo4j-driver': ['graph/bolt-graph-store.ts'],
      preact: ['web'],
      'd3-force': ['web/entity/relation-layout.ts'],
    };
    const wrong = imports.flatMap(({ from, specifier }) => {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) return [];
      const library = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
      const file = relative(src, from).replaceAll('\\', '/');
      const isOwner = owners[library]?.some((owner) => `${file}/`.startsWith(`${owner}/`)) === true;
      return isOwner ? [] : [`${file} -> ${specifier}`];
    });
    expect(wrong).toEqual([]);
  });

  it('have no file that is called after nothing', () => {
    const vague = files.filter((file) =>
      /(^|[\\/])(utils?|helpers?|common|types|manager|impl|misc)(\.ts|[\\/])/.test(relative(src, file)),
    );
    expect(vague).toEqual([]);
  });

  // The reading order of a tree is lost where two of its folders need each other. A folder and one inside it count too.
  it('have no two folders that import each other', () => {
    const folderOf = (file: string) => relative(src, dirname(file)).replaceAll('\\', '/') || '.';
    const seen = new Set<string>();
    for (const { from, specifier } of imports) {
      if (!specifier.startsWith('.')) continue;
      const [folder, target] = [folderOf(from), folderOf(resolve(dirname(from), specifier))];
      if (folder !== target) seen.add(`${folder} -> ${target}`);
    }
    const mutual = [...seen].filter((arrow) => seen.has(arrow.split(' -> ').reverse().join(' -> ')));
    expect(seen.size).toBeGreaterThan(100);
    expect(mutual.sort()).toEqual([]);
  });

  it('have no file over 350 lines', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length - 1 > MAX_LINES);
    expect(long.map((file) => relative(src, file))).toEqual([]);
  });

  it('have no circular import', () => {
    const graph = new Map<string, readonly string[]>();
    for (const file of files) {
      const targets = importsOf(file)
        .filter(({ specifier, typeOnly }) => specifier.startsWith('.') && !typeOnly)
        .map(({ specifier }) => resolve(dirname(file), specifier));
      graph.set(file, targets);
    }
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]) => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        cycles.push([...path.slice(path.indexOf(file)), file].map((at) => relative(src, at)).join(' -> '));
        return;
      }
      state.set(file, 'open');
      for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });
});

describe('the tests', () => {
  // A limit in milliseconds fails on a busy machine and says nothing on a fast one. Fake the date where a moment matters.
  it('read no clock: a hang fails by its timeout, and bench/ measures speed', () => {
    const clock = /performance\.now|hrtime[.(]|Date\.now|new Date\(\)|\.uptime\(|monitorEventLoopDelay\(/;
    const reading = [src, join(root, 'test')]
      .flatMap((folder) => filesIn(folder))
      .filter((file) => file.endsWith('.test.ts') || !file.startsWith(src))
      .filter((file) => clock.test(readFileSync(file, 'utf8')));
    expect(reading.map((file) => relative(root, file))).toEqual([]);
  });

  it('are in folders that CONTRIBUTING.md describes', () => {
    const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const folders = readdirSync(join(root, 'test'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !page.includes(`| \`test/${name}\` |`))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  const tour = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const sections = tour.split(/^## /m).slice(1);
  const foldersOf = (folder: string) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);

  it.each(foldersOf(src))('has a section for src/%s that names every folder in it', (room) => {
    const found = sections.find((section) => section.split('\n')[0]!.includes(`\`src/${room}\``)) ?? '';
    expect(found).not.toBe('');
    expect(foldersOf(join(src, room)).filter((name) => !found.includes(`${name}/\``))).toEqual([]);
  });

  it('is a tour: under 250 lines', () => {
    expect(tour.trimEnd().split('\n').length).toBeLessThan(250);
  });

  it('names every entity type', () => {
    const words = sections.find((section) => section.startsWith('Words')) ?? '';
    expect(ENTITY_TYPES.filter((type) => !words.includes(`\`${type}\``))).toEqual([]);
  });

  it('names no file or folder that is not there', () => {
    const paths = ['src', 'test'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).map(
        (entry) => `/${relative(root, join(entry.parentPath, entry.name))}${entry.isDirectory() ? '/' : ''}`,
      ),
    );
    const named = [...tour.matchAll(/`([\w./-]+(?:\.tsx?|\/))`/g)].map(([, name]) => name!);
    const known = (name: string) => name.startsWith('/') || paths.some((path) => path.endsWith(`/${name}`));
    expect(named.filter((name) => !known(name))).toEqual([]);
  });

  it('draws the arrows that the layers have', () => {
    const drawn = [...tour.matchAll(/\+---\s+([\w, ]+?)(?: \(pure\))?\s+<-\s+(\w+(?:, \w+)*)/g)];
    expect(drawn.length).toBeGreaterThan(4);
    for (const [, rooms, importers] of drawn) {
      for (const room of rooms!.split(', ')) {
        const allowed = Object.keys(ARROWS).filter((name) => !name.includes('.') && ARROWS[name]!.includes(room));
        expect([room, importers!.split(', ').sort()]).toEqual([room, allowed.sort()]);
      }
    }
  });

  it('has a reason for every dependency', () => {
    const manifest = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
    const { dependencies, optionalDependencies, peerDependencies, devDependencies } = manifest('package.json');
    const building = manifest('scripts/package.json').dependencies;
    const table = sections.find((section) => section.startsWith('Dependencies')) ?? '';
    const rows = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, names]) => names!.split(', '));
    const all = { ...dependencies, ...optionalDependencies, ...peerDependencies, ...devDependencies, ...building };
    const libraries = Object.keys(all).filter((name) => !name.startsWith('@types/'));
    expect(libraries.sort()).toEqual(rows.filter((name) => name !== 'library' && !/^-+$/.test(name)).sort());
  });
});
