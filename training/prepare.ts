// Writes the token ids of everything that training reads, from the text that the product embeds.
//   npx tsx training/prepare.ts --data DIR --tokenizer DIR --out DIR [--sets NAME,NAME]
// DIR of --data has a folder for each corpus (mcp_corpus, skills, a2a) and for each labelled set. See README.md.
import { createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { Tokenizer } from '@huggingface/tokenizers';
import { windowOf } from '../src/embedders/onnx/token-window.ts';
import type { Entity } from '../src/model/entity.ts';
import { parseEntity } from '../src/model/entity.ts';
import type { Unit } from '../src/model/entity-parts/unit.ts';
import { unitsOf } from '../src/model/entity-types/table.ts';
import { openJsonl } from '../src/sources/kinds/jsonl.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    tokenizer: { type: 'string' },
    out: { type: 'string' },
    sets: { type: 'string', default: '' },
  },
});
const { data, tokenizer: tokenizerDir, out } = values;
if (data === undefined || tokenizerDir === undefined || out === undefined) {
  throw new Error('Name the folders: --data DIR --tokenizer DIR --out DIR.');
}

const QUESTION_TOKENS = 64;
const UNIT_TOKENS = 128;
const GENERAL_TOKENS = 256;
/** So that a set with many questions does not drown the others. */
const MOST_OF_A_SET = 2000;
const CODE_PAIRS = 800;
const SPLITS = ['train', 'dev', 'test'] as const;

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const tokenizer = new Tokenizer(
  readJson(join(tokenizerDir, 'tokenizer.json')),
  readJson(join(tokenizerDir, 'tokenizer_config.json')),
);
const tokens = (text: string, most: number) => windowOf(text, most, (part) => tokenizer.encode(part).ids);

interface ToolQuestion {
  readonly server: string;
  readonly question: string;
  readonly tools: readonly string[];
  readonly tempting: string | null;
  readonly style: string;
  readonly named: boolean;
}
interface EntityQuestion {
  readonly entity: string;
  readonly question: string;
  readonly tempting: string | null;
}
interface TextQuestion {
  readonly question: string;
  readonly text: string;
  readonly tempting: string | null;
}

const questionsDir = new URL('./questions/', import.meta.url).pathname;
function readQuestions<T>(name: string): readonly T[] {
  const file = join(questionsDir, name);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

await mkdir(out, { recursive: true });
const texts = createWriteStream(join(out, 'texts.jsonl'));
let count = 0;
/** Texts by kind and key: equal texts are written once. */
const written = new Map<string, number>();
function write(kind: 'unit' | 'question' | 'general', text: string, most: number): number {
  const key = `${kind}\0${text}`;
  const before = written.get(key);
  if (before !== undefined) return before;
  texts.write(`${JSON.stringify({ kind, ids: tokens(text, most) })}\n`);
  written.set(key, count);
  return count++;
}

/** The entities of a corpus by the id that its lines have. */
async function corpus(name: string, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, Entity>> {
  const found = new Map<string, Entity>();
  const file = join(data!, name, 'corpus.jsonl');
  if (!existsSync(file)) throw new Error(`${file} is missing: --data must have a folder ${name}.`);
  for await (const line of (await openJsonl(file)).lines) {
    if (!('entity' in line)) continue;
    const id = line.entity.path.replace(/^\/+/, '');
    if (wanted.has(id)) found.set(id, line.entity);
  }
  return found;
}

const bare = (id: string) => id.replace(/^\/+/, '');
const triples = createWriteStream(join(out, 'triples.jsonl'));
const units = createWriteStream(join(out, 'units.jsonl'));

// Tools under their servers.
const asked = new Map(SPLITS.map((split) => [split, readQuestions<ToolQuestion>(`${split}.jsonl`)]));
const servers = await corpus('mcp_corpus', new Set([...asked.values()].flat().map(({ server }) => bare(server))));
const numbers = new Map<string, { readonly card: number; readonly tools: ReadonlyMap<string, number> }>();
for (const [id, server] of servers) {
  const tools = new Map<string, number>();
  let card = -1;
  for (const unit of unitsOf(server) as readonly Unit[]) {
    if (unit.embedText === '') continue;
    const number = write('unit', unit.embedText, UNIT_TOKENS);
    if (unit.kind === 'card') card = number;
    else tools.set(unit.title, number);
    units.write(`${JSON.stringify({ server: id, kind: unit.kind, title: unit.title, text: number })}\n`);
  }
  numbers.set(id, { card, tools });
}
let dropped = 0;
for (const [split, questions] of asked) {
  for (const { server, question, tools, tempting, style, named } of questions) {
    const own = numbers.get(bare(server));
    const right = tools.flatMap((name) => own?.tools.get(name) ?? []);
    if (own === undefined || right.length === 0) {
      dropped++;
      continue;
    }
    triples.write(
      `${JSON.stringify({
        split,
        group: bare(server),
        question: write('question', question, QUESTION_TOKENS),
        right,
        tempting: tempting === null ? [] : [own.tools.get(tempting) ?? []].flat(),
        siblings: [...new Set(own.tools.values())].filter((number) => !right.includes(number)),
        card: own.card,
        style,
        named,
      })}\n`,
    );
  }
}

// Agents, skills and packages: the card of the right entity.
const entityQuestions = readQuestions<EntityQuestion>('entities.jsonl');
const wanted = new Set(
  entityQuestions.flatMap(({ entity, tempting }) => [entity, ...(tempting === null ? [] : [tempting])]).map(bare),
);
const entities = new Map([...(await corpus('skills', wanted)), ...(await corpus('a2a', wanted))]);
for (const line of readFileSync(new URL('../examples/catalog/packages.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')) {
  const { entity } = parseEntity(JSON.parse(line));
  if (wanted.has(bare(entity.path))) entities.set(bare(entity.path), entity);
}
const cardText = (id: string) => {
  const entity = entities.get(bare(id));
  return entity === undefined ? null : (unitsOf(entity)[0]?.embedText ?? null);
};
for (const { entity, question, tempting } of entityQuestions) {
  const right = cardText(entity);
  if (right === null) {
    dropped++;
    continue;
  }
  const wrong = tempting === null ? null : cardText(tempting);
  triples.write(
    `${JSON.stringify({
      split: 'train',
      group: bare(entity),
      question: write('question', question, QUESTION_TOKENS),
      right: [write('unit', right, UNIT_TOKENS)],
      tempting: wrong === null ? [] : [write('unit', wrong, UNIT_TOKENS)],
      siblings: [],
      card: -1,
      style: 'entity',
      named: false,
    })}\n`,
  );
}

// Memories and passages: the texts are ours and stand beside their questions.
for (const { question, text, tempting } of readQuestions<TextQuestion>('texts.jsonl')) {
  triples.write(
    `${JSON.stringify({
      split: 'train',
      group: text,
      question: write('question', question, QUESTION_TOKENS),
      right: [write('unit', text, UNIT_TOKENS)],
      tempting: tempting === null ? [] : [write('unit', tempting, UNIT_TOKENS)],
      siblings: [],
      card: -1,
      style: 'text',
      named: false,
    })}\n`,
  );
  write('general', text, GENERAL_TOKENS);
}

// Labelled sets of public tools: questions with the entities that answer them.
for (const name of values.sets.split(',').filter((set) => set !== '')) {
  const lines = (file: string) =>
    readFileSync(join(data, name, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const cards = new Map<string, number>();
  const { lines: records } = await openJsonl(join(data, name, 'corpus.jsonl'));
  const ids = lines('corpus.jsonl').map(({ id }) => id as string);
  for await (const record of records) {
    if (!('entity' in record)) continue;
    const [unit] = unitsOf(record.entity) as readonly Unit[];
    const id = ids[record.line - 1];
    if (unit === undefined || unit.embedText === '' || id === undefined) continue;
    const number = write('unit', unit.embedText, UNIT_TOKENS);
    cards.set(id, number);
    units.write(`${JSON.stringify({ set: name, server: id, kind: unit.kind, title: unit.title, text: number })}\n`);
  }
  const rightOf = new Map<string, number[]>();
  for (const { query_id, doc_id } of lines('qrels.jsonl')) {
    const card = cards.get(doc_id);
    if (card === undefined) continue;
    rightOf.set(query_id, [...(rightOf.get(query_id) ?? []), card]);
  }
  const questions = lines('queries.jsonl').filter(({ id }) => rightOf.has(id));
  const step = Math.max(1, questions.length / MOST_OF_A_SET);
  for (let at = 0; at < questions.length; at += step) {
    const { id, text } = questions[Math.floor(at)];
    triples.write(
      `${JSON.stringify({
        split: 'train',
        group: `set ${name}`,
        set: name,
        question: write('question', text, QUESTION_TOKENS),
        right: [...new Set(rightOf.get(id))],
        tempting: [],
        siblings: [],
        card: -1,
        style: 'set',
        named: false,
      })}\n`,
    );
  }
}

// General texts: the vectors of these must stay where they are. Code and its comments, prose, long texts.
function* filesOf(dir: string, ending: RegExp): Generator<string> {
  if (!existsSync(dir)) return;
  for (const entry of readdirSync(dir, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && ending.test(entry.name)) yield join(entry.parentPath, entry.name);
  }
}
const PYTHON = ['/usr/lib/python3.11', '/usr/lib/python3.12', '/usr/lib/python3.13'].find(existsSync);
const perKind = { code: 1200, comment: 1200, prose: 900, gloss: 2400 };
const general: Record<keyof typeof perKind, string[]> = { code: [], comment: [], prose: [], gloss: [] };
if (PYTHON !== undefined) {
  for (const file of [...filesOf(PYTHON, /\.py$/)].sort()) {
    const source = readFileSync(file, 'utf8');
    const functions = source.matchAll(
      /^([ ]*)def [a-z]\w+\([^)]*\)[^\n]*:\n[ ]+"""([^"]{20,400})"""\n((?:\1[ ]+[^\n]*\n|\n){2,25})/gm,
    );
    for (const [all, , doc] of functions) {
      general.code.push(all.replace(/"""[^"]*"""/, '').trim());
      general.comment.push(doc!.replace(/\s+/g, ' ').trim());
    }
  }
}
for (const file of [...filesOf('/usr/share/perl', /\.pod$/), ...filesOf('docs', /\.md$/)].sort()) {
  for (const paragraph of readFileSync(file, 'utf8').split(/\n\s*\n/)) {
    const text = paragraph.replace(/\s+/g, ' ').trim();
    if (/^[A-Z]/.test(text) && text.length > 80 && text.length < 2000) general.prose.push(text);
  }
}
// What words of every field mean, the sciences too: `word, word: gloss`.
const WORDNET = '/usr/share/wordnet';
for (const file of ['data.noun', 'data.verb', 'data.adj']) {
  if (!existsSync(join(WORDNET, file))) continue;
  for (const line of readFileSync(join(WORDNET, file), 'utf8').split('\n')) {
    const [synset, gloss] = line.split(' | ');
    if (line.startsWith(' ') || synset === undefined || gloss === undefined) continue;
    const [, , , count = '0', ...rest] = synset.split(' ');
    const words = rest.filter((_, at) => at % 2 === 0).slice(0, Number.parseInt(count, 16));
    general.gloss.push(`${words.join(', ').replaceAll('_', ' ')}: ${gloss.trim()}`);
  }
}
// Code and its comment also belong together: search for code is not to be forgotten.
const pairs = Math.max(1, general.code.length / CODE_PAIRS);
for (let at = 0; at < general.code.length; at += pairs) {
  const comment = general.comment[Math.floor(at)]!;
  triples.write(
    `${JSON.stringify({
      split: 'train',
      group: comment,
      question: write('question', comment, QUESTION_TOKENS),
      right: [write('unit', general.code[Math.floor(at)]!, UNIT_TOKENS)],
      tempting: [],
      siblings: [],
      card: -1,
      style: 'text',
      named: false,
    })}\n`,
  );
}
for (const [kind, list] of Object.entries(general) as [keyof typeof perKind, string[]][]) {
  const distinct = [...new Set(list)];
  const step = Math.max(1, distinct.length / perKind[kind]);
  for (let at = 0; at < distinct.length; at += step) write('general', distinct[Math.floor(at)]!, GENERAL_TOKENS);
}

for (const stream of [texts, triples, units]) {
  stream.end();
  await finished(stream);
}
console.log(
  JSON.stringify({
    texts: count,
    servers: servers.size,
    dropped,
    general: Object.fromEntries(Object.entries(general).map(([k, v]) => [k, v.length])),
  }),
);
