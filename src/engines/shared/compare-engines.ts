import { DowserError } from '../../model/errors/errors.ts';
import type { RetrieveQuery } from '../../search/retrieval/retrieval.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';

export interface Compared {
  readonly entities: number;
  readonly units: number;
  readonly vectors: number;
  readonly searches: number;
}

const SEARCHES = 100;
const LIMIT = 20;

/** Compares counts and searches of two engines. Throws STORE_LOST_WRITES where they differ. */
export async function compareEngines(a: EmbeddedEngine, b: EmbeddedEngine): Promise<Compared> {
  const [{ entities, units, vectors }, other] = [await a.index.stats(), await b.index.stats()];
  for (const [name, ours, theirs] of [
    ['entities', entities, other.entities],
    ['units', units, other.units],
    ['vectors', vectors, other.vectors],
  ] as const) {
    if (ours !== theirs) throw differs(`${ours} and ${theirs} ${name}`);
  }
  const queries = await sampleQueries(a);
  for (const { text, query } of queries) {
    if ((await answerOf(a, query)) !== (await answerOf(b, query)))
      throw differs(`other answers to ${JSON.stringify(text)}`);
  }
  return { entities, units, vectors, searches: queries.length };
}

/** The titles and vectors of entities all over the store. */
async function sampleQueries(engine: EmbeddedEngine) {
  const { entities: total } = await engine.index.stats();
  const step = Math.max(1, Math.floor(total / SEARCHES));
  const queries: { readonly text: string; readonly query: RetrieveQuery }[] = [];
  let after: string | undefined;
  do {
    const page = await engine.store.scan({ limit: step, ...(after === undefined ? {} : { after }) });
    const [first] = page.entities;
    if (first === undefined) break;
    const embedder = engine.vectors.embedder?.id;
    const vector = engine.copy.states([first.id]).vectors.find((one) => one.embedder === embedder)?.vector ?? null;
    queries.push({ text: first.entity.name, query: queryOf(first.entity.name, vector) });
    after = page.cursor;
  } while (after !== undefined && queries.length < SEARCHES);
  return queries;
}

/** The list by words, and the best one by meaning: a large store may compare the rest of those only roughly. */
async function answerOf(engine: EmbeddedEngine, query: RetrieveQuery): Promise<string> {
  const { keyword, vector, evidence } = await engine.index.retrieve(query);
  const best = vector?.[0]?.vector?.toFixed(5) ?? null;
  return JSON.stringify([keyword.map((found) => [found.unit, found.keyword]), best, evidence.units, evidence.vectors]);
}

function queryOf(text: string, values: Float32Array | null): RetrieveQuery {
  return {
    text,
    parts: [],
    filter: {},
    hashtags: [],
    anchors: [],
    keyword: { scorer: 'bm25f', limit: LIMIT },
    vector: values === null ? null : { values, parts: [], limit: LIMIT, perType: false },
    crossScores: false,
    cards: false,
    results: 1,
    toolsAsResults: false,
  };
}

function differs(what: string): DowserError {
  return new DowserError('STORE_LOST_WRITES', `The two ends differ: ${what}.`, {
    hint: 'Something was written meanwhile. Empty the place that was moved to, and begin again with all servers stopped.',
  });
}
