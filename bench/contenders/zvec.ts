import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchQuery, Corpus } from '../corpus/corpus.ts';
import { DIMENSIONS } from '../corpus/vector-space.ts';
import { importPeer, peerVersion } from '../peers/import-peer.ts';
import { CANDIDATES, type Contender, RESULTS } from './contender.ts';

interface Hit {
  readonly id: string;
  readonly fields: { readonly text: string };
}

interface Collection {
  insertSync(documents: readonly object[]): readonly { readonly ok: boolean; readonly message: string }[];
  optimizeSync(): void;
  querySync(query: object): readonly Hit[];
  multiQuerySync(query: object): readonly Hit[];
  closeSync(): void;
}

interface Package {
  readonly ZVecCollectionSchema: new (options: object) => object;
  readonly ZVecDataType: { readonly STRING: number; readonly BOOL: number; readonly VECTOR_FP32: number };
  readonly ZVecIndexType: { readonly HNSW: number; readonly FTS: number; readonly INVERT: number };
  readonly ZVecMetricType: { readonly COSINE: number };
  readonly ZVecLogLevel: { readonly ERROR: number };
  ZVecInitialize(options: { readonly logLevel: number }): void;
  ZVecCreateAndOpen(path: string, schema: object): Collection;
  ZVecOpen(path: string, options: { readonly readOnly: boolean }): Collection;
}

const BATCH = 1000;

/** Its graph search keeps this many candidates: the least that can give a list of `CANDIDATES`, and a little more. */
const EF = 128;

const FILTER = 'live = true';

export async function loadZvec(): Promise<Contender> {
  const zvec = await importPeer<Package>('@zvec/zvec');
  const { ZVecDataType: data, ZVecIndexType: index, ZVecMetricType: metric } = zvec;
  zvec.ZVecInitialize({ logLevel: zvec.ZVecLogLevel.ERROR });
  let collection: Collection | null = null;
  /** Its ids are shorter and plainer than ours, so each document is known there by its number. */
  let ids: readonly string[] = [];
  const toId = (hit: Hit) => ids[Number(hit.id)]!;

  const schema = () =>
    new zvec.ZVecCollectionSchema({
      name: 'units',
      fields: [
        { name: 'text', dataType: data.STRING, indexParams: { indexType: index.FTS } },
        { name: 'live', dataType: data.BOOL, indexParams: { indexType: index.INVERT } },
      ],
      vectors: [
        {
          name: 'vector',
          dataType: data.VECTOR_FP32,
          dimension: DIMENSIONS,
          indexParams: { indexType: index.HNSW, metricType: metric.COSINE, m: 32, efConstruction: 200 },
        },
      ],
    });
  const byText = ({ text }: BenchQuery) => ({ fieldName: 'text', fts: { matchString: text } });
  const byVector = ({ vector }: BenchQuery) => ({
    fieldName: 'vector',
    vector,
    params: { indexType: index.HNSW, ef: EF },
  });
  const single = (leg: object) =>
    collection!.querySync({ ...leg, topk: CANDIDATES, filter: FILTER, outputFields: [] }).map(toId);

  return {
    version: peerVersion('@zvec/zvec'),
    how: `Its own multi-query with its reciprocal rank fusion: FTS index over name and text, HNSW with cosine (m 32, efConstruction 200, ef ${EF}). It filters by a boolean with an inverted index. Texts are an output field. The collection is optimized after loading.`,
    async build(corpus: Corpus, folder: string) {
      const target = zvec.ZVecCreateAndOpen(join(folder, 'collection'), schema());
      for (let start = 0; start < corpus.units.length; start += BATCH) {
        const batch = corpus.units.slice(start, start + BATCH).map((unit, i) => {
          const at = (start + i) * DIMENSIONS;
          return {
            id: String(start + i),
            fields: { text: `${unit.name}\n${unit.text}`, live: unit.live },
            vectors: { vector: corpus.vectors.subarray(at, at + DIMENSIONS) },
          };
        });
        const failed = target.insertSync(batch).find((status) => !status.ok);
        if (failed !== undefined) throw new Error(`zvec refused a document: ${failed.message}`);
      }
      target.optimizeSync();
      target.closeSync();
      writeFileSync(join(folder, 'ids.json'), JSON.stringify(corpus.units.map((unit) => unit.id)));
    },
    async open(folder: string) {
      ids = JSON.parse(readFileSync(join(folder, 'ids.json'), 'utf8')) as string[];
      collection = zvec.ZVecOpen(join(folder, 'collection'), { readOnly: true });
    },
    hybrid: (query) =>
      collection!
        .multiQuerySync({
          queries: [
            { ...byText(query), numCandidates: CANDIDATES },
            { ...byVector(query), numCandidates: CANDIDATES },
          ],
          topk: RESULTS,
          filter: FILTER,
          outputFields: ['text'],
          rerank: { type: 'rrf' },
        })
        .map((hit) => ({ id: toId(hit), text: hit.fields.text })),
    keyword: (query) => single(byText(query)),
    vector: (query) => single(byVector(query)),
    async close() {
      collection?.closeSync();
    },
  };
}
