import { expect, it } from 'vitest';
import type { EmbedOptions } from '../../src/embedders/embedder.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import {
  flattened,
  lexicalPage,
  type OracleAsset,
  type OraclePage,
  olderPage,
  registryPage,
} from '../support/registry-oracle.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { wordsRegistry } from '../support/words-registry.ts';

/** More catalogs than the suite has time for: `DOWSER_ORACLE_CATALOGS=1000 npx vitest run test/property/registry-oracle.test.ts`. */
const CATALOGS = Number(process.env.DOWSER_ORACLE_CATALOGS ?? 150);
/** Opening an engine with files takes longer: some of the catalogs. */
const EVERY_EMBEDDED = 10;

/** A small generator, so that a failing catalog can be named by its number. */
function randomFrom(seed: number) {
  let state = seed * 2654435761 + 1;
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) >>> 0;
    return Math.floor((((state ^ (state >>> 13)) >>> 0) / 2 ** 32) * below);
  };
}

const WORDS =
  'mail mailbox letter letters stamp flight flights flight_search booking book hotel weather forecast rain sun city map maps route search find query docs document code coder python team data database sql the of with ai go wetter straße 東京都 café'.split(
    ' ',
  );
type Draw = ReturnType<typeof randomFrom>;
const pick = <T>(draw: Draw, from: readonly T[]): T => from[draw(from.length)]!;
const some = (draw: Draw, most: number, least = 0) =>
  Array.from({ length: least + draw(most - least + 1) }, () => pick(draw, WORDS));

interface Catalog {
  readonly entities: readonly object[];
  readonly assets: readonly Omit<OracleAsset, 'vector'>[];
}

const labeled = (label: string, words: readonly string[]) =>
  words.length === 0 ? '' : `${label}: ${words.join(', ')}`;

/** All types of entities, some of them hidden. */
function catalogOf(draw: Draw): Catalog {
  const entities: object[] = [];
  const assets: Omit<OracleAsset, 'vector'>[] = [];
  const sizes = pick(draw, [3, 8, 20, 40]);
  const add = (entity: object, asset: Omit<OracleAsset, 'vector'>) => {
    const hidden =
      draw(8) === 0 ? pick(draw, [{ status: 'draft' }, { status: 'deprecated' }, { is_enabled: false }]) : {};
    entities.push({ ...entity, ...hidden });
    if (Object.keys(hidden).length === 0) assets.push(asset);
  };
  const common = (prefix: string, n: number) => ({
    path: `${prefix}${pick(draw, WORDS).replaceAll('_', '-')}-${n}`,
    name: some(draw, 3, 1).join(' '),
    description: some(draw, 8).join(' '),
    tags: [...new Set(some(draw, 2))],
  });
  const toolsOf = () =>
    Array.from({ length: draw(4) }, (_, n) => ({
      name: `${some(draw, 2, 1).join('_')}_${n}`,
      description: some(draw, 4).join(' '),
    }));
  const partsOf = (parts: readonly { name: string; description: string }[]) =>
    parts.map(({ name, description }) => `${name} ${description}`).join(' ');
  for (let n = draw(sizes); n > 0; n--) {
    const own = { ...common('/', n), tools: toolsOf() };
    const metadata = draw(2) === 0 ? {} : { [pick(draw, WORDS)]: pick(draw, WORDS), list: some(draw, 2) };
    const text = flattened(metadata);
    add(
      { type: 'mcp_server', ...own, metadata },
      {
        type: 'mcp_server',
        ...own,
        metadataText: text,
        embedded: [own.name, own.description, labeled('Tags', own.tags), partsOf(own.tools), text].join(' '),
      },
    );
  }
  for (let n = draw(sizes); n > 0; n--) {
    const own = common('/agents/', n);
    const capabilities = draw(2) === 0 ? {} : { [pick(draw, WORDS)]: true };
    const skills = toolsOf();
    const metadata = draw(2) === 0 ? {} : { team: pick(draw, WORDS) };
    const said = labeled('Capabilities', Object.keys(capabilities));
    add(
      { type: 'a2a_agent', ...own, capabilities, skills, metadata },
      {
        type: 'a2a_agent',
        ...own,
        metadataText: flattened(metadata),
        tools: [],
        embedded: [
          own.name,
          own.description,
          labeled('Tags', own.tags),
          said,
          partsOf(skills),
          flattened(metadata),
        ].join(' '),
      },
    );
  }
  for (let n = draw(sizes); n > 0; n--) {
    const own = common('/skills/', n);
    const [author, version] = [pick(draw, WORDS), `1.${n}.0`];
    const extra = draw(2) === 0 ? {} : { [pick(draw, WORDS)]: some(draw, 2), region: { main: pick(draw, WORDS) } };
    const said = `author ${author} version ${version} ${flattened(extra)}`;
    add(
      {
        type: 'skill',
        ...own,
        author,
        version,
        metadata: { extra },
        body: draw(3) === 0 ? `# ${pick(draw, WORDS)}\n${some(draw, 9).join(' ')}` : '',
      },
      {
        type: 'skill',
        ...own,
        metadataText: said,
        tools: [],
        embedded: [own.name, own.description, labeled('Tags', own.tags), said].join(' '),
      },
    );
  }
  for (let n = draw(sizes); n > 0; n--) {
    const own = common('/virtual/', n);
    const tools = toolsOf();
    const tool_mappings = tools.map(({ name, description }) => ({
      tool_name: name,
      backend_server_path: '/nowhere',
      description_override: description,
    }));
    add(
      { type: 'virtual_server', ...own, tool_mappings },
      {
        type: 'virtual_server',
        ...own,
        tools,
        metadataText: '',
        embedded: [
          own.name,
          own.description,
          labeled('Tags', own.tags),
          ...tools.map(({ description }) => description),
          labeled(
            'Tools',
            tools.map(({ name }) => name),
          ),
        ].join(' '),
      },
    );
  }
  const others = ['memory', 'package', 'tool', 'document'].flatMap((type) =>
    Array.from({ length: 1 + draw(6) }, (_, n) => {
      const own = { type, ...common(`/${type}s/`, n) };
      return type === 'memory' || type === 'document' ? { ...own, content: some(draw, 9, 1).join(' '), body: '' } : own;
    }),
  );
  return { entities: [...entities, ...others], assets };
}

const PAGES = { registry: registryPage, 'registry-legacy': olderPage, lexical: lexicalPage } as const;
const PRESETS = Object.keys(PAGES) as readonly (keyof typeof PAGES)[];

/**
 * The same words give the same vector, in any order. Others differ a little in every dimension: two cosines that are equal but for
 * rounding have no order, and the words alone give many.
 */
class BagEmbedder extends WordEmbedder {
  override async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    const vectors = await super.embed(texts, options);
    return vectors.map((vector, at) => {
      const words = texts[at]!.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      let seed = 17;
      for (const char of words.sort().join(' ')) seed = (Math.imul(seed, 31) + char.codePointAt(0)!) >>> 0;
      const draw = randomFrom(seed);
      const moved = vector.map((value) => value + 0.05 * (draw(1e6) / 1e6 - 0.5));
      const length = Math.hypot(...moved);
      return moved.map((value) => value / length);
    });
  }
}

/** Where a page differs from that of the documents; null if it does not. */
function difference(expected: OraclePage, got: OraclePage): string | null {
  const line = ({ results, tools }: OraclePage) =>
    [...results, ...tools].map((one) =>
      one.map((part) => (typeof part === 'number' ? part.toFixed(3) : part)).join(' '),
    );
  const [wanted, found] = [line(expected), line(got)];
  const wrong = wanted.findIndex((one, at) => one !== found[at]);
  if (wrong < 0 && wanted.length === found.length) return null;
  return `${wrong}: ${wanted[wrong]} / ${found[wrong]}`;
}

it(`finds what the documents of the registry find, over ${CATALOGS} catalogs with entities of every type`, {
  timeout: Math.max(600_000, 4000 * CATALOGS),
}, async () => {
  const embedder = new BagEmbedder();
  const vectorsOf = async (texts: readonly string[]) =>
    (await embedder.embed(texts, { as: 'document' })).map((vector) => [...vector]);
  const wrong: string[] = [];
  let pages = 0;
  for (let seed = 1; seed <= CATALOGS; seed++) {
    const draw = randomFrom(seed);
    const { entities, assets } = catalogOf(draw);
    const vectors = await vectorsOf(assets.map(({ embedded }) => embedded));
    const compared = assets.map((asset, at): OracleAsset => ({ ...asset, vector: vectors[at]! }));
    const folder = seed % EVERY_EMBEDDED === 0 ? temporaryFolder() : null;
    const registry = await wordsRegistry(
      entities,
      embedder,
      folder === null ? {} : { engine: 'embedded', data_dir: folder.path },
    );
    for (let asked = 0; asked < 3; asked++) {
      const text = [...some(draw, 3, 1), ...(draw(3) === 0 ? [pick(draw, WORDS).slice(0, 4)] : [])].join(
        pick(draw, [' ', ', ', '-']),
      );
      const maxResults = pick(draw, [1, 3, 5, 10, 10, 20, 50]);
      const [vector] = await vectorsOf([text]);
      for (const preset of PRESETS) {
        const { results, tools } = await registry.search({ query: text, preset, max_results: maxResults });
        const got = {
          results: results.map(({ path, relevance_score }) => [path, relevance_score] as const),
          tools: tools.map(
            ({ server_path, tool_name, relevance_score }) => [server_path, tool_name, relevance_score] as const,
          ),
        };
        const found = difference(PAGES[preset](compared, { text, vector: vector!, maxResults }), got);
        if (found !== null) wrong.push(`catalog ${seed}, ${preset}, '${text}', ${maxResults}: ${found}`);
        pages++;
      }
    }
    await registry.close();
    folder?.remove();
  }
  expect(wrong.slice(0, 12)).toEqual([]);
  expect(pages).toBe(9 * CATALOGS);
});
