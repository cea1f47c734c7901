import { rrf } from '../../src/search/fusion/rrf.ts';
import type { BenchQuery, BenchUnit, Corpus } from '../corpus/corpus.ts';
import { scanVectors } from '../corpus/scan-vectors.ts';
import { importPeer, peerVersion } from '../peers/import-peer.ts';
import { CANDIDATES, type Contender, RESULTS } from './contender.ts';

interface MiniSearch {
  addAll(documents: readonly BenchUnit[]): void;
  search(text: string): { readonly id: string }[];
}

interface Package {
  readonly default: new (options: {
    readonly fields: readonly string[];
    readonly searchOptions: { readonly boost: Readonly<Record<string, number>> };
  }) => MiniSearch;
}

export async function loadMiniSearch(): Promise<Contender> {
  const { default: MiniSearchIndex } = await importPeer<Package>('minisearch');
  const index = new MiniSearchIndex({ fields: ['name', 'text'], searchOptions: { boost: { name: 2 } } });
  let ids: readonly string[] = [];
  let vectors = new Float32Array(0);

  const keyword = ({ text }: BenchQuery) =>
    index
      .search(text)
      .slice(0, CANDIDATES)
      .map((hit) => hit.id);
  const vector = (query: BenchQuery) => scanVectors(vectors, query.vector, CANDIDATES).map((row) => ids[row]!);

  return {
    version: peerVersion('minisearch'),
    how: 'Keyword search of its own over name (boost 2) and text, exact terms joined by OR. It has no vectors: a plain loop over a Float32Array stands beside it, and reciprocal rank fusion.',
    async build(corpus: Corpus) {
      index.addAll(corpus.units);
      ids = corpus.units.map((unit) => unit.id);
      vectors = corpus.vectors.slice();
    },
    async open() {},
    hybrid: (query) =>
      rrf([keyword(query), vector(query)])
        .slice(0, RESULTS)
        .map((fused) => fused.id),
    keyword,
    vector,
    async close() {},
  };
}
