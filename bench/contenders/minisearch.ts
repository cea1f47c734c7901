import type { BenchQuery, BenchUnit, Corpus } from '../corpus/corpus.ts';
import { liveRows, scanVectors } from '../corpus/scan-vectors.ts';
import { importPeer, peerVersion } from '../peers/import-peer.ts';
import { CANDIDATES, type Contender, RESULTS } from './contender.ts';
import { rrf } from './rrf.ts';

type Stored = Pick<BenchUnit, 'name' | 'text' | 'live'>;

interface MiniSearch {
  addAll(documents: readonly BenchUnit[]): void;
  search(text: string): { readonly id: string }[];
  getStoredFields(id: string): Stored;
}

interface Package {
  readonly default: new (options: {
    readonly fields: readonly string[];
    readonly storeFields: readonly (keyof Stored)[];
    readonly searchOptions: {
      readonly boost: Readonly<Record<string, number>>;
      readonly filter: (result: Stored) => boolean;
    };
  }) => MiniSearch;
}

export async function loadMiniSearch(): Promise<Contender> {
  const { default: MiniSearchIndex } = await importPeer<Package>('minisearch');
  const index = new MiniSearchIndex({
    fields: ['name', 'text'],
    storeFields: ['name', 'text', 'live'],
    searchOptions: { boost: { name: 2 }, filter: (result) => result.live },
  });
  let ids: readonly string[] = [];
  let vectors = new Float32Array(0);
  let live: Uint8Array = new Uint8Array(0);

  const keyword = ({ text }: BenchQuery) =>
    index
      .search(text)
      .slice(0, CANDIDATES)
      .map((hit) => hit.id);
  const vector = (query: BenchQuery) => scanVectors(vectors, live, query.vector, CANDIDATES).map((row) => ids[row]!);

  return {
    version: peerVersion('minisearch'),
    how: 'Its own keyword search over name (boost 2) and text, exact terms joined by OR, with its filter function on a stored field. It has no vector search. The benchmark adds a plain loop over a Float32Array that skips hidden units, and reciprocal rank fusion. Texts are stored fields.',
    async build(corpus: Corpus) {
      index.addAll(corpus.units);
      ids = corpus.units.map((unit) => unit.id);
      vectors = corpus.vectors.slice();
      live = liveRows(corpus.units);
    },
    async open() {},
    hybrid: (query) =>
      rrf([keyword(query), vector(query)])
        .slice(0, RESULTS)
        .map((id) => {
          const { name, text } = index.getStoredFields(id);
          return { id, text: `${name}\n${text}` };
        }),
    keyword,
    vector,
    async close() {},
  };
}
