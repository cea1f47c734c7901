// Writes what the reader is trained and measured on: for each question what Dowser finds, without a reader, and the token ids of
// all texts. Run by training/reader/train_reader.py. Vectors are kept in the data folder (DOWSER_DATA).
//   npx tsx training/reader/candidates.ts --data DIR --out DIR --sets NAME,NAME
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Tokenizer } from '@huggingface/tokenizers';
import { Progress } from '../../bench/progress.ts';
import { withRegistry } from '../../bench/quality/filled-registry.ts';
import { catalogQuestions } from '../../bench/quality/tool-questions.ts';
import { type Entity, parseEntity } from '../../src/model/entity.ts';
import { toolsOf, unitsOf } from '../../src/model/entity-types/table.ts';
import type { Registry } from '../../src/registry/contract/registry.ts';
import { openJsonl } from '../../src/sources/kinds/jsonl.ts';
import { exampleCatalog } from '../../test/support/example-catalog.ts';

const { values } = parseArgs({
  options: { data: { type: 'string' }, out: { type: 'string' }, sets: { type: 'string', default: '' } },
});
const { data, out } = values;
if (data === undefined || out === undefined) throw new Error('Name the folders: --data DIR --out DIR.');

const MODEL = 'dowser-tools-1';
const TOOL_TYPES = ['mcp_server', 'virtual_server', 'tool'];
/** Servers in a catalog: as many as the other splits have. */
const TRAIN_SERVERS = 100;
const SMALL_CATALOG = 10;
/** So that a set with many questions does not drown the others. */
const MOST_OF_A_SET = 1000;
const MAX_TOKENS = 130;
const LONGEST = 1200;

const root = new URL('../../', import.meta.url).pathname;
const modelDir = join(root, 'models', MODEL);
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const tokenizer = new Tokenizer(
  readJson(join(modelDir, 'tokenizer.json')),
  readJson(join(modelDir, 'tokenizer_config.json')),
);
const lines = (path: string) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const progress = new Progress();
const bare = (path: string) => path.replace(/^\/+/, '');

mkdirSync(out, { recursive: true });
const files = { questions: join(out, 'questions.jsonl'), texts: join(out, 'texts.jsonl') };
for (const file of Object.values(files)) rmSync(file, { force: true });

const written = new Set<string>();
function writeText(kind: 'question' | 'tool' | 'server', key: string, text: string): void {
  if (text === '' || written.has(`${kind}\0${key}`)) return;
  written.add(`${kind}\0${key}`);
  const ids = tokenizer.encode(text.slice(0, LONGEST)).ids.slice(0, MAX_TOKENS);
  appendFileSync(files.texts, `${JSON.stringify({ kind, key, ids })}\n`);
}

interface Question {
  readonly text: string;
  /** Questions about one server are alike. */
  readonly group: string;
  readonly right: ReadonlySet<string>;
  readonly tempting?: string | null;
}

async function write(
  split: string,
  size: string,
  entities: readonly Entity[],
  questions: readonly Question[],
): Promise<void> {
  const definitions = new Map<string, string>();
  for (const entity of entities) {
    const { path, name, description } = entity;
    const isTool = entity.type === 'tool';
    if (isTool) definitions.set(path, `${name}\n${description}`);
    else
      for (const tool of toolsOf(entity)) definitions.set(`${path}#${tool.name}`, `${tool.name}\n${tool.description}`);
    if (!isTool) writeText('server', path, `${name}: ${description}`);
    for (const { kind, title, embedText } of unitsOf(entity)) {
      if (isTool || kind === 'tool') writeText('tool', isTool ? path : `${path}#${title}`, embedText);
    }
  }
  await withRegistry(
    { entities, questions: questions.map(({ text }) => text), progress, model: MODEL },
    async (registry) => {
      for (const question of questions) {
        writeText('question', question.text, question.text);
        const copied = new Set([...question.right].map((path) => definitions.get(path)));
        const isRight = (key: string) => {
          const own = definitions.get(key);
          return question.right.has(key) || (own !== undefined && copied.has(own));
        };
        const found = async (types: readonly string[]) =>
          (await shown(registry, question.text, types)).map((one) => ({ ...one, right: isRight(one.key) }));
        const row = { split, size, ...question, right: [...question.right] };
        const answers = { servers: await found(TOOL_TYPES), tools: await found(['tool']) };
        appendFileSync(files.questions, `${JSON.stringify({ ...row, ...answers })}\n`);
      }
    },
  );
  console.log(`${split}, ${size}: ${questions.length} questions over ${entities.length} entities`);
}

/** What a search shows, each by its server and tool. */
async function shown(registry: Registry, query: string, types: readonly string[]) {
  const { results } = await registry.search({ query, entity_types: [...types] });
  return results.map(({ path, entity_type, matched_unit, relevance_score }) => ({
    key: entity_type !== 'tool' && matched_unit?.kind === 'tool' ? `${path}#${matched_unit.title}` : path,
    score: relevance_score,
  }));
}

// The example catalog.
const example = exampleCatalog()
  .map((line) => parseEntity(line).entity)
  .filter((entity) => entity.type === 'tool' || toolsOf(entity).length > 0);
await write('golden', 'all', example, catalogQuestions());

// Servers of the corpus, in catalogs of one split.
const asked = ['train', 'dev', 'test'].map(
  (split) => [split, lines(join(root, 'training/questions', `${split}.jsonl`))] as const,
);
const wanted = new Set(asked.flatMap(([, questions]) => questions.map(({ server }) => bare(server))));
const servers = new Map<string, Entity>();
for await (const line of (await openJsonl(join(data, 'mcp_corpus', 'corpus.jsonl'))).lines) {
  if ('entity' in line && wanted.has(bare(line.entity.path))) servers.set(bare(line.entity.path), line.entity);
}
for (const [split, questions] of asked) {
  const own: Question[] = questions.flatMap(({ server, question, tools, tempting }) => {
    const path = servers.get(bare(server))?.path;
    if (path === undefined) return [];
    const right = new Set<string>(tools.map((tool: string) => `${path}#${tool}`));
    return { text: question, group: path, right, tempting: tempting === null ? null : `${path}#${tempting}` };
  });
  const paths = [...new Set(own.map(({ group }) => group))];
  const sizes = split === 'train' ? { all: TRAIN_SERVERS } : { all: paths.length, small: SMALL_CATALOG };
  for (const [size, count] of Object.entries(sizes)) {
    for (let at = 0; at < paths.length; at += count) {
      const part = paths.slice(at, at + count);
      const entities = part.map((path) => servers.get(bare(path))!);
      await write(
        split,
        size,
        entities,
        own.filter(({ group }) => part.includes(group)),
      );
    }
  }
}

// Labelled sets of public tools: only to train.
for (const name of values.sets.split(',').filter((set) => set !== '')) {
  const ids = lines(join(data, name, 'corpus.jsonl')).map(({ id }) => id as string);
  const entities = new Map<string, Entity>();
  for await (const record of (await openJsonl(join(data, name, 'corpus.jsonl'))).lines) {
    if ('entity' in record && unitsOf(record.entity)[0]?.embedText) entities.set(ids[record.line - 1]!, record.entity);
  }
  const right = new Map<string, Set<string>>();
  for (const { query_id, doc_id } of lines(join(data, name, 'qrels.jsonl'))) {
    const entity = entities.get(doc_id);
    if (entity === undefined) continue;
    if (right.get(query_id)?.add(entity.path) === undefined) right.set(query_id, new Set([entity.path]));
  }
  const all = lines(join(data, name, 'queries.jsonl')).filter(({ id }) => right.has(id));
  const step = Math.max(1, all.length / MOST_OF_A_SET);
  const questions: Question[] = [];
  for (let at = 0; at < all.length; at += step) {
    const { id, text } = all[Math.floor(at)];
    questions.push({ text, group: name, right: right.get(id)! });
  }
  await write('set', name, [...entities.values()], questions);
}
