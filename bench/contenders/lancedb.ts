import type { BenchQuery, Corpus } from '../corpus/corpus.ts';
import { DIMENSIONS } from '../corpus/vector-space.ts';
import { importPeer, peerVersion } from '../peers/import-peer.ts';
import { CANDIDATES, type Contender, type Found, RESULTS } from './contender.ts';

interface Row extends Found {
  readonly _rowid: bigint;
}

interface Query {
  nearestTo(vector: Float32Array): Query;
  distanceType(type: 'cosine'): Query;
  nprobes(count: number): Query;
  ef(count: number): Query;
  fullTextSearch(text: string, options?: { readonly columns: readonly string[] }): Query;
  where(predicate: string): Query;
  rerank(reranker: object): Query;
  select(columns: readonly string[]): Query;
  limit(count: number): Query;
  withRowId(): Query;
  toArray(): Promise<readonly Row[]>;
}

interface Table {
  add(rows: readonly object[]): Promise<unknown>;
  createIndex(column: string, options: { readonly config: object }): Promise<void>;
  optimize(): Promise<unknown>;
  query(): Query;
  takeRowIds(ids: readonly bigint[]): Pick<Query, 'select'>;
  close(): void;
}

interface Connection {
  createEmptyTable(name: string, schema: object): Promise<Table>;
  openTable(name: string): Promise<Table>;
  close(): void;
}

interface Package {
  connect(folder: string): Promise<Connection>;
  readonly Index: {
    fts(options: { readonly withPosition: boolean }): object;
    bitmap(): object;
    hnswSq(options: { readonly distanceType: 'cosine'; readonly numPartitions: number }): object;
  };
  readonly rerankers: { readonly RRFReranker: { create(): Promise<object> } };
}

interface Arrow {
  readonly Schema: new (fields: readonly object[]) => object;
  readonly Field: new (name: string, type: object, nullable: boolean) => object;
  readonly Utf8: new () => object;
  readonly Bool: new () => object;
  readonly Float32: new () => object;
  readonly FixedSizeList: new (size: number, child: object) => object;
}

const BATCH = 5000;

/** A table as small as this is scanned: that is quicker than its graph. */
const SCANNED_UNITS = 5000;

/** Its graph search keeps this many candidates; it wants at least as many as are asked for. */
const EF = 150;

export async function loadLancedb(): Promise<Contender> {
  process.env.LANCEDB_LOG ??= 'error'; // it would log a line for every query
  const { connect, Index, rerankers } = await importPeer<Package>('@lancedb/lancedb');
  const reranker = await rerankers.RRFReranker.create();
  let table: Table | null = null;

  /** Settings for the graph do nothing where there is none. */
  const near = ({ vector }: BenchQuery) => table!.query().nearestTo(vector).distanceType('cosine').nprobes(1).ef(EF);
  const live = (query: Query) => query.where('live = true').limit(CANDIDATES);
  const ids = async (query: Query) => (await live(query).select(['id']).toArray()).map((row) => row.id);

  return {
    version: peerVersion('@lancedb/lancedb'),
    how: `Its own hybrid query with its RRF reranker: FTS index over name and text, and one HNSW graph of 8-bit codes (HNSW_SQ, cosine, ef ${EF}). Up to ${SCANNED_UNITS} units, it scans the vectors without an index. \`where\` filters before both legs, by a boolean with a bitmap index. The texts of the ten results are read by row id. It uses several threads.`,
    async build(corpus: Corpus, folder: string) {
      const { Schema, Field, Utf8, Bool, Float32, FixedSizeList } = await importPeer<Arrow>('apache-arrow');
      const connection = await connect(folder);
      const target = await connection.createEmptyTable(
        'units',
        new Schema([
          new Field('id', new Utf8(), false),
          new Field('text', new Utf8(), false),
          new Field('live', new Bool(), false),
          new Field('vector', new FixedSizeList(DIMENSIONS, new Field('item', new Float32(), true)), false),
        ]),
      );
      for (let start = 0; start < corpus.units.length; start += BATCH) {
        await target.add(
          corpus.units.slice(start, start + BATCH).map((unit, i) => {
            const at = (start + i) * DIMENSIONS;
            const vector = [...corpus.vectors.subarray(at, at + DIMENSIONS)];
            return { id: unit.id, text: `${unit.name}\n${unit.text}`, live: unit.live, vector };
          }),
        );
      }
      await target.optimize();
      await target.createIndex('text', { config: Index.fts({ withPosition: false }) });
      await target.createIndex('live', { config: Index.bitmap() });
      if (corpus.units.length > SCANNED_UNITS) {
        await target.createIndex('vector', { config: Index.hnswSq({ distanceType: 'cosine', numPartitions: 1 }) });
      }
      target.close();
      connection.close();
    },
    async open(folder: string) {
      const connection = await connect(folder);
      table = await connection.openTable('units');
    },
    async hybrid(query: BenchQuery) {
      const both = near(query)
        .fullTextSearch(query.text, { columns: ['text'] })
        .rerank(reranker);
      // Its limit is that of each leg too: taking the texts of ten rows is quicker than selecting those of all candidates.
      const candidates = await live(both).select(['id']).withRowId().toArray();
      const best = candidates.slice(0, RESULTS);
      const rows = await table!
        .takeRowIds(best.map((row) => row._rowid))
        .select(['id', 'text'])
        .toArray();
      const texts = new Map(rows.map((row) => [row.id, row.text]));
      return best.map(({ id }) => ({ id, text: texts.get(id) ?? '' }));
    },
    keyword: (query) => ids(table!.query().fullTextSearch(query.text, { columns: ['text'] })),
    vector: (query) => ids(near(query)),
    async close() {
      table?.close();
    },
  };
}
