import type { Embedder } from '../../src/embedders/embedder.ts';
import type { Engine } from '../../src/engines/engine.ts';
import type { SearchResult } from '../../src/model/answer/result.ts';
import type { EmbedderIdentity } from '../../src/model/embedder-identity.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import type { RetrieveQuery } from '../../src/search/retrieval/retrieval.ts';
import type { BenchQuery, Corpus } from '../corpus/corpus.ts';
import { DIMENSIONS } from '../corpus/vector-space.ts';
import { CANDIDATES, type Contender, type Found, RESULTS, type SearchHints } from './contender.ts';

/**
 * The product as it ships. The loader that runs the benchmark gives every function its name at run time, which costs the
 * hot paths up to half of their speed, so what is measured comes from `dist`; only the types are those of the source.
 */
async function importBuilt<T>(path: string): Promise<T> {
  return (await import(new URL(`../../dist/${path}`, import.meta.url).href)) as T;
}

const IDENTITY: EmbedderIdentity = { id: `bench/prepared/${DIMENSIONS}`, dimensions: DIMENSIONS };

/** Entities in one transaction. */
const BATCH = 500;

/** Stands in for the model, whose time is not counted for anybody: looks the query's vector up. */
function preparedEmbedder(queries: readonly BenchQuery[]): Embedder {
  const vectors = new Map(queries.map(({ text, vector }) => [text, vector]));
  return {
    ...IDENTITY,
    embed: async (texts) => texts.map((text) => vectors.get(text)!),
    async close() {},
  };
}

export async function loadDowser(): Promise<Contender> {
  const { openEmbedded } = await importBuilt<typeof import('../../src/engines/embedded/open-embedded.ts')>(
    'engines/embedded/open-embedded.js',
  );
  const { createRegistry } =
    await importBuilt<typeof import('../../src/registry/create-registry.ts')>('registry/create-registry.js');
  const { toIndexed } =
    await importBuilt<typeof import('../../src/registry/write/publish.ts')>('registry/write/publish.js');
  const { searchRequestSchema } =
    await importBuilt<typeof import('../../src/model/query/query.ts')>('model/query/query.js');
  const { unitId } =
    await importBuilt<typeof import('../../src/model/entity-parts/unit.ts')>('model/entity-parts/unit.js');
  const { entityId } = await importBuilt<typeof import('../../src/model/entity.ts')>('model/entity.js');
  const { planSearch } = await importBuilt<typeof import('../../src/search/plan/plan.ts')>('search/plan/plan.js');
  const { dowserVersion } = await importBuilt<typeof import('../../src/open.ts')>('open.js');
  let engine: Engine | null = null;
  let registry: LocalRegistry | null = null;
  /** What a search without wishes is filtered by, in the legs on their own too. */
  const { filter } = planSearch(searchRequestSchema.parse({ query: 'anything' }));
  /** A search answer has everything but the body of a document, so the body is read from the record. */
  async function textOf({ entity_type, path, description, match_context, matched_unit }: SearchResult) {
    if (entity_type === 'document') {
      const { entity } = await registry!.get(entity_type, path);
      return entity.type === 'document' ? entity.body : '';
    }
    return matched_unit.kind === 'card' ? description : (match_context ?? '');
  }
  async function toFound(result: SearchResult): Promise<Found> {
    const { entity_type, path, server_path, matched_unit } = result;
    const owner = server_path === undefined ? entityId(entity_type, path) : entityId('mcp_server', server_path);
    return { id: unitId(owner, matched_unit.key), text: `${matched_unit.title}\n${await textOf(result)}` };
  }
  const units = (hits: readonly { readonly unit: string }[]) => hits.map((hit) => hit.unit);
  /** One leg on its own. Without text the keyword leg has nothing to look for. */
  const legsOf = (text: string, values: Float32Array | null): RetrieveQuery => ({
    text,
    parts: [],
    filter,
    hashtags: [],
    anchors: [],
    keyword: { scorer: 'bm25f', limit: CANDIDATES },
    vector: values === null ? null : { values, limit: CANDIDATES, perType: false, parts: [] },
    crossScores: false,
    cards: false,
    results: 1,
    toolsAsResults: false,
  });

  return {
    version: dowserVersion(),
    how: 'The whole of `registry.search`: checking the request, the plan, both legs, fusion, reading the entities, and the answer with snippets, scores and groups. Then `registry.get` for the body of each document found. The engine is the embedded one, opened from its store as the server opens it. Only embedding the query is left out.',
    async build(corpus: Corpus, folder: string) {
      const target = await openEmbedded({ dir: folder, embedder: IDENTITY });
      let at = 0;
      for (let start = 0; start < corpus.entities.length; start += BATCH) {
        const batch = corpus.entities.slice(start, start + BATCH).map((entity) => {
          const indexed = toIndexed(entity);
          const withVectors = indexed.units.map((unit) => {
            const from = at * DIMENSIONS;
            at += 1;
            return { ...unit, vector: corpus.vectors.subarray(from, from + DIMENSIONS) };
          });
          return { entity, units: withVectors };
        });
        await target.store.put(batch);
      }
      await target.close();
    },
    async open(folder: string, { queries }: SearchHints) {
      engine = await openEmbedded({ dir: folder, embedder: IDENTITY });
      registry = createRegistry({
        engine,
        embedder: preparedEmbedder(queries),
        embedderState: () => ({ id: IDENTITY.id, state: 'ready' }),
        version: dowserVersion(),
        dataPath: folder,
        indexingWaitMs: 0,
        background: false,
      });
    },
    async hybrid({ text }: BenchQuery) {
      const { results } = await registry!.search({ query: text, max_results: RESULTS });
      return Promise.all(results.map(toFound));
    },
    async keyword({ text }: BenchQuery) {
      return units((await engine!.index.retrieve(legsOf(text, null))).keyword);
    },
    async vector({ vector }: BenchQuery) {
      return units((await engine!.index.retrieve(legsOf('', vector))).vector!);
    },
    async close() {
      await registry?.close();
    },
  };
}
