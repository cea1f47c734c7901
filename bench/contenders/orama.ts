import type { BenchQuery, Corpus } from '../corpus/corpus.ts';
import { DIMENSIONS } from '../corpus/vector-space.ts';
import { importPeer, peerVersion } from '../peers/import-peer.ts';
import { type Answer, CANDIDATES, type Contender, RESULTS, type SearchHints } from './contender.ts';

type Database = { readonly __brand: 'OramaDatabase' };
type Found = { readonly hits: readonly { readonly id: string }[] };

interface Package {
  create(options: { readonly schema: Readonly<Record<string, string>> }): Database;
  insertMultiple(database: Database, documents: readonly object[], batchSize?: number): Promise<unknown> | unknown;
  search(database: Database, query: object): Found | Promise<Found>;
}

const BATCH = 1000;

export async function loadOrama(): Promise<Contender> {
  const { create, insertMultiple, search } = await importPeer<Package>('@orama/orama');
  const database = create({ schema: { name: 'string', text: 'string', vector: `vector[${DIMENSIONS}]` } });
  let similarity = 0;

  const ask = (query: BenchQuery, mode: 'hybrid' | 'fulltext' | 'vector', limit: number): Answer => {
    const found = search(database, {
      mode,
      term: query.text,
      properties: ['name', 'text'],
      vector: { value: query.vector, property: 'vector' },
      similarity,
      limit,
    });
    const toIds = ({ hits }: Found) => hits.map((hit) => hit.id);
    return found instanceof Promise ? found.then(toIds) : toIds(found);
  };

  return {
    version: peerVersion('@orama/orama'),
    how: 'Its own hybrid mode (BM25 over name and text, exact vector scan, weighted sum of normalised scores). It cuts vectors by similarity and not by count: set to the cosine that about 100 units reach.',
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
    hybrid: (query) => ask(query, 'hybrid', RESULTS),
    keyword: (query) => ask(query, 'fulltext', CANDIDATES),
    vector: (query) => ask(query, 'vector', CANDIDATES),
    async close() {},
  };
}
