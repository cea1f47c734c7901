import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../src/config.ts';
import type { Embedder, EmbedderState } from '../../src/embedders/embedder.ts';
import { SqliteVectorCache } from '../../src/embedders/wrappers/sqlite-vector-cache.ts';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import type { Index } from '../../src/engines/index-port.ts';
import type { LabeledQuery } from '../../src/eval/labeled-set.ts';
import { RememberedQueries } from '../../src/eval/remembered-queries.ts';
import { type Entity, idOf } from '../../src/model/entity.ts';
import { parseSearchRequest } from '../../src/model/query/parse-search-request.ts';
import { openEmbedderFor } from '../../src/open.ts';
import { MAX_BATCH } from '../../src/registry/contract/registry.ts';
import { createRegistry } from '../../src/registry/create-registry.ts';
import { queryEvidence } from '../../src/registry/search/query-evidence.ts';
import { classifyQuery } from '../../src/search/identifier/classify-query.ts';
import { planSearch, retrieveQuery, type SearchPlan } from '../../src/search/plan/plan.ts';
import { queryVectors, textsToEmbed } from '../../src/search/plan/query-vectors.ts';
import { confidenceFacts, type QueryFacts, type ResultFacts } from '../../src/search/ranking/calibrate/confidence.ts';
import { shareOfCeiling } from '../../src/search/ranking/fusion/linear.ts';
import { rank } from '../../src/search/ranking/rank.ts';

/** What the confidence of an answer is made from, with the labels of its results. */
export interface AnswerFacts {
  readonly query: QueryFacts;
  readonly results: readonly { readonly facts: ResultFacts; readonly isRight: boolean }[];
}

export type AskFacts = (query: LabeledQuery, preset: string) => Promise<AnswerFacts>;

interface FactsOptions {
  readonly entities: readonly Entity[];
  /** The texts to ask with a model. Null: no model, only presets without a vector leg can be asked. */
  readonly questions: readonly string[] | null;
}

async function openModel() {
  const { settings } = loadSettings();
  const { embedder: model, state } = await openEmbedderFor(settings);
  if (model === null) throw new Error('Quality is measured with a model: set EMBEDDINGS_PROVIDER.');
  const cache = new SqliteVectorCache({ file: join(settings.data_dir, 'embeddings.sqlite') });
  return { embedder: new RememberedQueries(model, cache), state };
}

const NO_MODEL = { embedder: null, state: (): EmbedderState => ({ id: 'none', state: 'off' }) };

/** Indexes entities, as `withRegistry` does, and gives the facts of searches in them. */
export async function withFacts<T>(
  { entities, questions }: FactsOptions,
  use: (ask: AskFacts) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'dowser-quality-'));
  try {
    const { embedder, state } = questions === null ? NO_MODEL : await openModel();
    const engine = await openEmbedded({ dir, embedder });
    const registry = createRegistry({
      engine,
      embedder,
      embedderState: state,
      version: '',
      dataPath: null,
      indexingWaitMs: 0,
      background: false,
    });
    try {
      for (let from = 0; from < entities.length; from += MAX_BATCH) {
        await registry.putMany(entities.slice(from, from + MAX_BATCH), { vectors: 'later' });
      }
      if (embedder !== null) {
        await registry.embedPending();
        await embedder.prepare(questions ?? []);
      }
      const paths = new Map<string, string>();
      for (const entity of entities) paths.set(idOf(entity), entity.path);
      return await use((query, preset) => factsOf(engine.index, embedder, paths, query, preset));
    } finally {
      await registry.close();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function factsOf(
  index: Index,
  embedder: Embedder | null,
  paths: ReadonlyMap<string, string>,
  { text, relevant }: LabeledQuery,
  preset: string,
): Promise<AnswerFacts> {
  const request = parseSearchRequest({ query: text, preset, max_results: 10, min_confidence: 0 });
  const retrieve = async (plan: SearchPlan) => {
    if (plan.preset.vector === null || embedder === null) return index.retrieve(retrieveQuery(plan, null));
    const vectors = queryVectors(plan, await embedder.embed(textsToEmbed(plan), { as: 'query' }));
    return index.retrieve(retrieveQuery(plan, vectors === null ? null : { ...vectors, embedder: embedder.id }));
  };
  let plan = planSearch(request);
  let retrieved = await retrieve(plan);
  const { unknownTags } = retrieved.evidence;
  if (unknownTags.length > 0) {
    plan = planSearch(request, { unknownTags: new Set(unknownTags) });
    retrieved = await retrieve(plan);
  }
  const { holders, units } = retrieved.evidence;
  const evidence = queryEvidence(plan, retrieved, retrieved.vector !== null);
  const classification = classifyQuery(holders, plan.anchors.length, units);
  const { page, found } = rank(plan, { retrieved, classification, evidence, dead: new Set() });
  const facts = confidenceFacts(evidence, found, shareOfCeiling(evidence.ceiling));
  return {
    query: facts.query,
    results: page.map((candidate) => ({
      facts: facts.of(candidate),
      isRight: (relevant.get(paths.get(candidate.entity) ?? '') ?? 0) > 0,
    })),
  };
}
