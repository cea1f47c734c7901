import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { type Entity, type EntityId, idOf } from '../model/entity.ts';
import { DowserError } from '../model/errors/errors.ts';
import { parseWith, showValue } from '../model/parse/parse.ts';
import { MAX_QUERY_CHARS } from '../model/query/query.ts';
import { openJsonl, readJsonLines } from '../sources/kinds/jsonl.ts';
import type { Judgments } from './metrics.ts';

export interface LabeledQuery {
  readonly id: string;
  readonly text: string;
  /** The paths of relevant entities, with their relevance. */
  readonly relevant: Judgments;
}

/** A catalog with queries and their relevant entities. */
export interface LabeledSet {
  readonly name: string;
  readonly entities: readonly Entity[];
  readonly queries: readonly LabeledQuery[];
  /** Invalid lines of the corpus. */
  readonly rejected: number;
  /** Labels that name no entity of the corpus. No ranking can find them. */
  readonly astray: MissingLabels;
}

export interface MissingLabels {
  readonly count: number;
  /** The number of all labels. */
  readonly of: number;
  /** The first missing document. Absent if none is missing. */
  readonly example?: string;
}

export interface ReadSetOptions {
  /** Only queries of this split. Default: all. */
  readonly split?: string;
  /** The most queries, spread evenly over the file. */
  readonly maxQueries?: number;
}

const id = z.union([z.string(), z.number()]).transform(String);
const querySchema = z.object({ id, text: z.string(), split: z.string().optional() });
const qrelSchema = z.object({ query_id: id, doc_id: id, relevance: z.number().default(1) });

/** Unlike a corpus, labels must all be valid: an invalid line throws. */
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

/** At most `most` items of a list, evenly spread, in order. */
function spread<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]!);
}

async function expectFile(file: string, dir: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() === true) return;
  throw new DowserError('NOT_FOUND', `${dir} has no ${basename(file)}.`, {
    hint: 'A labeled set is a folder with corpus.jsonl, queries.jsonl and qrels.jsonl. See docs/cli.md.',
  });
}

interface Labels {
  readonly relevant: ReadonlyMap<string, Judgments>;
  /** The ids of labels without a query so far, with the first line of each. */
  readonly unmatched: Map<string, number>;
}

async function readLabels(file: string): Promise<Labels> {
  const relevant = new Map<string, Map<string, number>>();
  const unmatched = new Map<string, number>();
  for await (const { line, value } of checkedLines(file, qrelSchema)) {
    const { query_id, doc_id, relevance } = value;
    if (!unmatched.has(query_id)) unmatched.set(query_id, line);
    if (relevance <= 0) continue;
    const judged = relevant.get(query_id) ?? new Map<string, number>();
    relevant.set(query_id, judged.set(doc_id, relevance));
  }
  return { relevant, unmatched };
}

/** A label without its query is a mistake in the set, and would change the figures. */
function expectAllMatched({ unmatched }: Labels, files: { readonly qrels: string; readonly queries: string }): void {
  const [first] = unmatched;
  if (first === undefined) return;
  const [query, line] = first;
  const others = unmatched.size === 1 ? '' : ` More missing queries: ${unmatched.size - 1}.`;
  throw new DowserError(
    'INVALID_FILE',
    `${files.qrels}, line ${line}: the query ${showValue(query)} is not in ${files.queries}.${others}`,
    { field: 'query_id', hint: 'Add the missing queries to queries.jsonl, or remove their labels from qrels.jsonl.' },
  );
}

function labelsNotInCorpus(queries: readonly LabeledQuery[], entities: Iterable<Entity>): MissingLabels {
  const paths = new Set(Array.from(entities, ({ path }) => path));
  const named = queries.flatMap(({ relevant }) => [...relevant.keys()]);
  const missing = named.filter((path) => !paths.has(path));
  const [example] = missing;
  return { count: missing.length, of: named.length, ...(example === undefined ? {} : { example }) };
}

/** If no label names an entity, every ranking would score 0. */
function expectSomeFound({ count, of, example }: MissingLabels, file: string, { path }: Entity): void {
  if (count < of) return;
  const labels = of === 1 ? 'The only label' : `None of the ${of} labels`;
  const names = of === 1 ? 'names no document' : 'names a document';
  throw new DowserError(
    'INVALID_FILE',
    `${labels} of ${file} ${names} of the corpus: "doc_id" is ${showValue(example)}.`,
    {
      field: 'doc_id',
      hint: `Use the exact path of an entity of corpus.jsonl as doc_id, such as ${showValue(path)}.`,
    },
  );
}

/**
 * Reads a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.jsonl`. Skips queries without a relevant entity. Refuses
 * labels without a query, and a set whose labels name no entity. The later line of a repeated entity wins, as in an import.
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
    throw new DowserError('INVALID_FILE', `${files.corpus} has no valid entity.`, {
      hint: `${rejected} lines are invalid. Run \`dowser import\` to see why.`,
    });
  }
  const labels = await readLabels(files.qrels);
  const queries: LabeledQuery[] = [];
  for await (const { value: query } of checkedLines(files.queries, querySchema)) {
    const relevant = labels.relevant.get(query.id);
    labels.unmatched.delete(query.id);
    if (relevant === undefined || (options.split !== undefined && query.split !== options.split)) continue;
    const text = query.text.slice(0, MAX_QUERY_CHARS).trim();
    if (text !== '') queries.push({ id: query.id, text, relevant });
  }
  expectAllMatched(labels, files);
  if (queries.length === 0) {
    throw new DowserError('INVALID_FILE', `${files.queries} has no query with a relevant entity.`, {
      hint:
        options.split === undefined
          ? 'Add a line with a relevance above 0 to qrels.jsonl.'
          : `Check that '${options.split}' is one of its splits.`,
    });
  }
  const astray = labelsNotInCorpus(queries, entities.values());
  expectSomeFound(astray, files.qrels, [...entities.values()][0]!);
  return {
    name: basename(resolve(dir)),
    entities: [...entities.values()],
    queries: spread(queries, options.maxQueries ?? Number.POSITIVE_INFINITY),
    rejected,
    astray,
  };
}
