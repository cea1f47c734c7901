import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { type Entity, type EntityId, idOf } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { parseWith, showValue } from '../model/parse.ts';
import { MAX_QUERY_CHARS } from '../model/query.ts';
import { openJsonl, readJsonLines } from '../sources/jsonl.ts';
import type { Judgments } from './metrics.ts';

export interface LabeledQuery {
  readonly id: string;
  readonly text: string;
  /** The paths of what answers it, with how well. */
  readonly relevant: Judgments;
}

/** A catalog with questions and their right answers. */
export interface LabeledSet {
  readonly name: string;
  readonly entities: readonly Entity[];
  readonly queries: readonly LabeledQuery[];
  /** Lines of the corpus that could not be used. */
  readonly rejected: number;
  /** Labels of its queries that name nothing of the corpus: what they ask for cannot be found. */
  readonly astray: AstrayLabels;
}

export interface AstrayLabels {
  readonly count: number;
  /** How many labels there are in all. */
  readonly of: number;
  /** The first document that is not there; absent if all are. */
  readonly example?: string;
}

export interface ReadSetOptions {
  /** Only queries of this split; absent: all. */
  readonly split?: string;
  /** At most so many queries, spread evenly over the file. */
  readonly maxQueries?: number;
}

const id = z.union([z.string(), z.number()]).transform(String);
const querySchema = z.object({ id, text: z.string(), split: z.string().optional() });
const qrelSchema = z.object({ query_id: id, doc_id: id, relevance: z.number().default(1) });

/** Unlike a catalog, labels have no line to spare: a bad one ends the reading. */
async function* checkedLines<S extends z.ZodType>(
  file: string,
  schema: S,
): AsyncGenerator<{ readonly line: number; readonly value: z.output<S> }> {
  for await (const entry of readJsonLines(file)) {
    const { line } = entry;
    if ('error' in entry) {
      const { code, message } = entry.error;
      throw new DowserError(code, `${file}, line ${line}: ${message}`, { cause: entry.error });
    }
    yield { line, value: parseWith(schema, entry.value, `line ${line} of ${file}`, 'INVALID_FILE') };
  }
}

/** So many of a list, evenly spread, in order. */
function spread<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]!);
}

async function expectFile(file: string, dir: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() === true) return;
  throw new DowserError('NOT_FOUND', `There is no ${basename(file)} in ${dir}.`, {
    hint: 'A set is a folder with corpus.jsonl, queries.jsonl and qrels.jsonl; docs/cli.md says what is in them.',
  });
}

interface Labels {
  readonly relevant: ReadonlyMap<string, Judgments>;
  /** The queries that labels speak of and no query has claimed yet, each with the first line that names it. */
  readonly unclaimed: Map<string, number>;
}

async function readLabels(file: string): Promise<Labels> {
  const relevant = new Map<string, Map<string, number>>();
  const unclaimed = new Map<string, number>();
  for await (const { line, value } of checkedLines(file, qrelSchema)) {
    const { query_id, doc_id, relevance } = value;
    if (!unclaimed.has(query_id)) unclaimed.set(query_id, line);
    if (relevance <= 0) continue;
    const judged = relevant.get(query_id) ?? new Map<string, number>();
    relevant.set(query_id, judged.set(doc_id, relevance));
  }
  return { relevant, unclaimed };
}

/** A label without its query is a half-copied set or a typing mistake, and figures without it would be others. */
function expectAllClaimed({ unclaimed }: Labels, files: { readonly qrels: string; readonly queries: string }): void {
  const [first] = unclaimed;
  if (first === undefined) return;
  const [query, line] = first;
  const others = unclaimed.size === 1 ? '' : ` ${unclaimed.size - 1} more of its queries are not there either.`;
  throw new DowserError(
    'INVALID_FILE',
    `${files.qrels}, line ${line}: it names the query ${showValue(query)}, which ${files.queries} does not have.${others}`,
    { field: 'query_id', hint: 'Add the missing queries to queries.jsonl, or remove their labels from qrels.jsonl.' },
  );
}

function astrayLabels(queries: readonly LabeledQuery[], entities: Iterable<Entity>): AstrayLabels {
  const paths = new Set(Array.from(entities, ({ path }) => path));
  const named = queries.flatMap(({ relevant }) => [...relevant.keys()]);
  const missing = named.filter((path) => !paths.has(path));
  const [example] = missing;
  return { count: missing.length, of: named.length, ...(example === undefined ? {} : { example }) };
}

/** Where no label names a document, every ranking would score 0, whatever it finds. */
function expectSomeFound({ count, of, example }: AstrayLabels, file: string, { path }: Entity): void {
  if (count < of) return;
  const labels = of === 1 ? 'The only label' : `None of the ${of} labels`;
  const names = of === 1 ? 'names no document' : 'names a document';
  throw new DowserError(
    'INVALID_FILE',
    `${labels} of ${file} ${names} of the corpus: "doc_id" is ${showValue(example)}.`,
    {
      field: 'doc_id',
      hint: `A doc_id is the path of an entity of corpus.jsonl, to the letter, such as ${showValue(path)}.`,
    },
  );
}

/**
 * Reads a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.jsonl`. Queries without a right answer are
 * left out, labels without a query are refused, and so are labels of which none names a document; where the corpus names an entity twice the later line wins, as in an import.
 */
export async function readLabeledSet(dir: string, options: ReadSetOptions = {}): Promise<LabeledSet> {
  const files = {
    corpus: join(dir, 'corpus.jsonl'),
    queries: join(dir, 'queries.jsonl'),
    qrels: join(dir, 'qrels.jsonl'),
  };
  for (const file of Object.values(files)) await expectFile(file, dir);

  const entities = new Map<EntityId, Entity>();
  let rejected = 0;
  for await (const line of (await openJsonl(files.corpus)).lines) {
    if ('entity' in line) entities.set(idOf(line.entity), line.entity);
    else rejected += 1;
  }
  if (entities.size === 0) {
    throw new DowserError('INVALID_FILE', `${files.corpus} has no entity to find.`, {
      hint: `${rejected} of its lines could not be used; \`dowser import\` says why.`,
    });
  }
  const labels = await readLabels(files.qrels);
  const queries: LabeledQuery[] = [];
  for await (const { value: query } of checkedLines(files.queries, querySchema)) {
    const relevant = labels.relevant.get(query.id);
    labels.unclaimed.delete(query.id);
    if (relevant === undefined || (options.split !== undefined && query.split !== options.split)) continue;
    const text = query.text.slice(0, MAX_QUERY_CHARS).trim();
    if (text !== '') queries.push({ id: query.id, text, relevant });
  }
  expectAllClaimed(labels, files);
  if (queries.length === 0) {
    throw new DowserError('INVALID_FILE', `${files.queries} has no query with a right answer to measure.`, {
      hint:
        options.split === undefined
          ? 'qrels.jsonl needs a line for one of them whose relevance is above 0.'
          : `Is '${options.split}' one of its splits?`,
    });
  }
  const astray = astrayLabels(queries, entities.values());
  expectSomeFound(astray, files.qrels, [...entities.values()][0]!);
  return {
    name: basename(resolve(dir)),
    entities: [...entities.values()],
    queries: spread(queries, options.maxQueries ?? Number.POSITIVE_INFINITY),
    rejected,
    astray,
  };
}
