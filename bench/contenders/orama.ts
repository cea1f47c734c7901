import type { BenchQuery, Corpus } from '../corpus/corpus.ts';
import { DIMENSIONS } from '../corpus/vector-space.ts';
import { importPeer, peerVersion } from '../peers/import-peer.ts';
import { CANDIDATES, type Contender, RESULTS, type SearchHints } from './contender.ts';

type Database = { readonly __brand: 'OramaDatabase' };
type Hit = { readonly id: string; readonly document: { readonly name: string; readonly text: string } };
type Hits = { readonly hits: readonly Hit[] };

interface Package {
  create(options: { readonly schema: Readonly<Record<string, string>> }): Database;
  insertMultiple(database: Database, documents: readonly object[], batchSize?: number): Promise<unknown> | unknown;
  search(database: Database, query: object): Hits | Promise<Hits>;
}

const BATCH = 1000;

export async function loadOrama(): Promise<Contender> {
  const { create, insertMultiple, search } = await importPeer<Package>('@orama/orama');
  const database = create({
    schema: { name: 'string', text: 'string', live: 'boolean', vector: `vector[${DIMENSIONS}]` },
  });
  let similarity = 0;

  /** It answers at once unless it has asynchronous hooks: then awaiting would only cost it time. */
  function ask<T>(query: BenchQuery, mode: 'hybrid' | 'fulltext' | 'vector', limit: number, toResult: (hit: Hit) => T) {
    const found = search(database, {
      mode,
      term: query.text,
      properties: ['name', 'text'],
      vector: { value: query.vector, property: 'vector' },
      similarity,
      where: { live: true },
      limit,
    });
    return found instanceof Promise ? found.then(({ hits }) => hits.map(toResult)) : found.hits.map(toResult);
  }
  const toId = ({ id }: Hit) => id;

  return {
    version: peerVersion('@orama/orama'),
    how: 'Its own hybrid mode: BM25 over name and text, exact vector scan, weighted sum of normalized scores. `where` filters by a boolean. It limits vector results by similarity, not by count; the limit is the cosine that about 100 units reach. Texts come from its documents.',
    async build(corpus: Corpus) {
      for (let start = 0; start < corpus.units.length; start += BATCH) {
        const batch = corpus.units.slice(start, start + BATCH).map((unit, i) => {
          const at = (start + i) * DIMENSIONS;
          return { ...unit, vector: [...corpus.vectors.subarray(at, at + DIMENSIONS)] };
        });
        await insertMultiple(database, batch, BATCH);
      }
    },
    async open(_folder: string, hints: SearchHints) {
      similarity = hints.candidateCosine;
    },
    hybrid: (query) =>
      ask(query, 'hybrid', RESULTS, ({ id, document: { name, text } }) => ({ id, text: `${name}\n${text}` })),
    keyword: (query) => ask(query, 'fulltext', CANDIDATES, toId),
    vector: (query) => ask(query, 'vector', CANDIDATES, toId),
    async close() {},
  };
}
