import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings } from '../../src/config.ts';
import { DEFAULT_MODEL } from '../../src/embedders/models/known-models.ts';
import { mean } from '../../src/eval/metrics.ts';
import { type Entity, parseEntity } from '../../src/model/entity.ts';
import { toolsOf } from '../../src/model/entity-types/table.ts';
import { openEmbedderFor } from '../../src/open.ts';
import type { Registry } from '../../src/registry/contract/registry.ts';
import { exampleCatalog } from '../../test/support/example-catalog.ts';
import { withRegistry } from './filled-registry.ts';
import {
  catalogTable,
  comparedTable,
  kindTable,
  type MeasuredCatalog,
  type ShownFirst,
  splitCatalog,
} from './first-tool-tables.ts';
import { three } from './markdown.ts';
import type { Section, SectionContext } from './section.ts';
import { readCorpus, spread } from './set-folders.ts';
import { type CorpusQuestion, catalogQuestions, corpusQuestions, SPLITS, type ToolQuestion } from './tool-questions.ts';

const CORPUS = 'mcp_corpus';
/** Kept for other measurements: never registered here. */
const RESERVED = 'reserved.txt';
const SMALL = 10;
const LARGE = 1000;

interface Catalog {
  readonly entities: readonly Entity[];
  readonly questions: readonly ToolQuestion[];
}

interface CatalogSize {
  readonly name: string;
  /** Small catalogs are many, so that every question is asked once. */
  readonly catalogs: readonly Catalog[];
}

/** What one search shows first: a stand-alone tool, a tool of a server, or a server without one. */
async function firstOf(registry: Registry, query: string, entity_types: readonly string[]) {
  const { results, search_mode, warnings } = await registry.search({ query, entity_types: [...entity_types] });
  if (search_mode === 'lexical-only') throw new Error(`Searched by keyword only: ${query}. ${warnings.join(' ')}`);
  const [first] = results;
  const unit = first?.matched_unit;
  const isPart = first?.entity_type !== 'tool' && unit?.kind === 'tool';
  return { server: first?.path, tool: isPart ? `${first!.path}#${unit.title}` : first?.path };
}

async function measureSize(
  { name, catalogs }: CatalogSize,
  { progress, most }: SectionContext,
  model: string | undefined,
): Promise<MeasuredCatalog> {
  progress.begin(`first tool, ${name}`);
  const shown: ShownFirst[] = [];
  let [servers, tools] = [0, 0];
  for (const { entities, questions: all } of catalogs) {
    const questions = spread(all, most(Number.POSITIVE_INFINITY));
    const texts = questions.map(({ text }) => text);
    const definitions = definitionsOf(entities);
    servers += entities.length / catalogs.length;
    tools += definitions.size / catalogs.length;
    await withRegistry({ entities, questions: texts, progress, model }, async (registry) => {
      for (const question of questions) {
        progress.step(`${shown.length} questions`);
        const first = await firstOf(registry, question.text, ['mcp_server', 'virtual_server', 'tool']);
        const listed = await firstOf(registry, question.text, ['tool']);
        const isRight = (path: string | undefined) => isRightTool(path, question, definitions);
        shown.push({
          question,
          tool: isRight(first.tool),
          server: [...question.right].some((path) => path.split('#')[0] === first.server) || isRight(first.tool),
          listed: isRight(listed.tool),
        });
      }
    });
  }
  const measured = { name, servers: Math.round(servers), tools: Math.round(tools), shown };
  progress.end(`the first tool is right ${three(mean(shown.map(({ tool }) => Number(tool))))}`);
  return measured;
}

/** What each tool says of itself, by its path. */
function definitionsOf(entities: readonly Entity[]): ReadonlyMap<string, string> {
  const definitions = new Map<string, string>();
  for (const entity of entities) {
    if (entity.type === 'tool') definitions.set(entity.path, `${entity.name}\n${entity.description}`);
    else
      for (const { name, description } of toolsOf(entity))
        definitions.set(`${entity.path}#${name}`, `${name}\n${description}`);
  }
  return definitions;
}

/** A copy of a right tool in another server is right as well. */
function isRightTool(
  path: string | undefined,
  { right }: ToolQuestion,
  definitions: ReadonlyMap<string, string>,
): boolean {
  if (path === undefined) return false;
  const definition = definitions.get(path);
  return right.has(path) || (definition !== undefined && [...right].some((one) => definitions.get(one) === definition));
}

function exampleSize(): CatalogSize {
  const entities = exampleCatalog().map((line) => parseEntity(line).entity);
  const hasTools = (entity: Entity) => entity.type === 'tool' || toolsOf(entity).length > 0;
  return {
    name: 'example catalog',
    catalogs: [{ entities: entities.filter(hasTools), questions: catalogQuestions() }],
  };
}

/** Catalogs of growing size with the servers of the questions in each. */
function corpusSizes(entities: readonly Entity[], asked: readonly CorpusQuestion[]): readonly CatalogSize[] {
  const byPath = new Map(entities.map((entity) => [entity.path, entity]));
  const questions = asked.filter(({ server }) => byPath.has(server));
  if (questions.length === 0) throw new Error(`${CORPUS} has none of the servers of training/questions.`);
  const pathsOf = (of: readonly CorpusQuestion[]) => [...new Set(of.map(({ server }) => server))];
  const catalog = (paths: readonly string[], others: readonly Entity[] = []): Catalog => ({
    entities: [...paths.map((path) => byPath.get(path)!), ...others],
    questions: questions.filter(({ server }) => paths.includes(server)),
  });
  const splits = SPLITS.map((split) => pathsOf(questions.filter((question) => question.split === split)));
  const paths = splits.flat();
  const others = entities.filter(({ path }) => !paths.includes(path));
  const small: Catalog[] = [];
  for (const of of splits) for (let at = 0; at < of.length; at += SMALL) small.push(catalog(of.slice(at, at + SMALL)));
  return [
    { name: `${SMALL} servers`, catalogs: small },
    ...splits.map((of, at) => ({ name: splitCatalog(SPLITS[at]!), catalogs: [catalog(of)] })),
    { name: `${LARGE} servers`, catalogs: [catalog(paths, spread(others, LARGE - paths.length))] },
    { name: 'the whole corpus', catalogs: [catalog(paths, others)] },
  ];
}

/** The corpus without the reserved servers. */
async function corpusOf({ sets }: SectionContext): Promise<readonly Entity[]> {
  const folder = sets.find(({ name }) => name === CORPUS);
  if (folder === undefined) return [];
  const reserved = new Set(readFileSync(join(folder.dir, RESERVED), 'utf8').trim().split('\n'));
  return (await readCorpus(folder)).filter(({ path }) => !reserved.has(path));
}

/** The model of the settings, if it is not the default one. */
async function otherModel(): Promise<string | null> {
  const { settings } = loadSettings();
  const { embedder } = await openEmbedderFor(settings);
  await embedder?.close();
  const name = settings.embeddings_model_name ?? DEFAULT_MODEL;
  return embedder === null || (settings.embeddings_provider === 'local' && name === DEFAULT_MODEL) ? null : embedder.id;
}

export const firstTool: Section = {
  heading: 'The first tool',
  async measure(context) {
    const corpus = await corpusOf(context);
    const all = [exampleSize(), ...(corpus.length === 0 ? [] : corpusSizes(corpus, corpusQuestions()))];
    const isSmall = ({ catalogs }: CatalogSize) =>
      catalogs.every(({ entities }) => entities.length <= context.maxServers);
    const sizes = all.filter(isSmall);
    const measureAll = async (model?: string) => {
      const measured: MeasuredCatalog[] = [];
      for (const size of sizes) measured.push(await measureSize(size, context, model));
      return measured;
    };
    const usual = await measureAll(DEFAULT_MODEL);
    const lines = [
      'How often is the first tool that a search shows a right one? A person or an agent asks in their own words, and takes what comes first.',
      '`first tool` counts an answer as right if its first result is the server with the right tool, and `among tools` if only tools are asked',
      'for. `server` is the first result without regard to its tool. A copy of the right tool in another server counts as right.',
      '',
      'The questions are in `training/questions`, over servers of `mcp_corpus` that no model was trained on, and in `test/golden/tools`, over the example',
      'catalog. Each question is asked in catalogs of several sizes. Intervals are of 1,000 resamples of the servers.',
      '',
      ...catalogTable(usual),
      '',
      ...(corpus.length === 0
        ? []
        : ['By kind of question, in the catalogs that have only the servers of a split:', '', ...kindTable(usual), '']),
      '`npm run quality -- DIR --only first-tool` measures it with the default model. If `dowser model use` has chosen another one, it measures that',
      'as well and compares the two, question by question: name another page with `--out`. `--servers 1000` leaves out the whole corpus, which takes',
      'long to embed.',
    ];
    const other = await otherModel();
    if (other === null) return lines;
    const measured = await measureAll();
    return [...lines, '', `### With ${other}`, '', ...comparedTable(usual, measured)];
  },
};
