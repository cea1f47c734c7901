import type { EntityId } from '../../../model/entity.ts';
import { EDGE_TYPES, type Edge } from '../../../model/entity-parts/edge.ts';
import type { EdgeColumns, EdgeSelection } from '../../edge-store.ts';
import { atOnce, type Sliced } from '../../in-slices.ts';
import { fromStoredText, toStoredText } from '../../stored-text.ts';
import type { Database, Statement } from './database.ts';
import { copyEdges, decodeEdges, EDGE_BYTES, type EdgeCell, encodeEdges } from './edge-codec.ts';

type Transaction = <T>(work: () => T) => T;
type EdgeRow = readonly [source: number, edges: Uint8Array];

/** Rows read at once: enough to be quick, and few enough to leave others a turn in between. */
const CHUNK = 1000;
const NAMES_CHUNK = 10_000;

/** The statements about edges. Nodes and provenances have numbers, and the edges of a source are one row. */
export class EdgeRecord {
  readonly #write: Transaction;
  readonly #name: Statement;
  readonly #addName: Statement;
  readonly #edgesOf: Statement;
  readonly #putEdges: Statement;
  readonly #dropEdges: Statement;
  readonly #names: Statement;
  readonly #rows: Statement;

  /** `write` counts the write among those of the record: a log that lost it has then lost an acknowledged write. */
  constructor(database: Database, write: Transaction) {
    this.#write = write;
    this.#name = database.prepare('SELECT no FROM graph_names WHERE name = ?');
    this.#addName = database.prepare('INSERT INTO graph_names (name) VALUES (?)');
    this.#edgesOf = database.prepare('SELECT edges FROM graph_edges WHERE source = ?');
    this.#putEdges = database.prepare(
      'INSERT INTO graph_edges VALUES (?, ?) ON CONFLICT (source) DO UPDATE SET edges = excluded.edges',
    );
    this.#dropEdges = database.prepare('DELETE FROM graph_edges WHERE source = ?');
    this.#names = database.prepareLists('SELECT no, name FROM graph_names WHERE no > ? ORDER BY no LIMIT ?');
    this.#rows = database.prepareLists(
      'SELECT source, edges FROM graph_edges WHERE source > ? ORDER BY source LIMIT ?',
    );
  }

  put(edges: readonly Edge[]): void {
    this.#write(() => {
      const bySource = new Map<number, Map<string, EdgeCell>>();
      for (const edge of edges) {
        const source = this.#numberOf(edge.source);
        let cells = bySource.get(source);
        if (cells === undefined) {
          cells = new Map(this.#cellsOf(source).map((cell) => [keyOf(cell), cell]));
          bySource.set(source, cells);
        }
        const cell = this.#toCell(edge);
        cells.set(keyOf(cell), cell);
      }
      for (const [source, cells] of bySource) this.#putEdges.run(source, encodeEdges([...cells.values()]));
    });
  }

  delete({ provenance, between }: EdgeSelection): number {
    return this.#write(() => {
      const by = this.#known(provenance);
      if (by === undefined) return 0;
      if (between === undefined) {
        let deleted = 0;
        for (const [source] of [...this.#chunks()].flat()) {
          deleted += this.#dropFrom(source, (cell) => cell.provenance === by);
        }
        return deleted;
      }
      const [a, b] = [this.#known(between[0]), this.#known(between[1])];
      if (a === undefined || b === undefined) return 0;
      const drop = (from: number, to: number) =>
        this.#dropFrom(from, (cell) => cell.provenance === by && cell.target === to);
      return drop(a, b) + (a === b ? 0 : drop(b, a));
    });
  }

  /** The edges that `delete` would delete. */
  select({ provenance, between }: EdgeSelection): readonly Edge[] {
    if (between === undefined) return this.all().filter((edge) => edge.provenance === provenance);
    const by = this.#known(provenance);
    const [a, b] = between;
    const ways = a === b ? [[a, b] as const] : [[a, b] as const, [b, a] as const];
    return ways.flatMap(([source, target]) => {
      const [from, to] = [this.#known(source), this.#known(target)];
      const cells = from === undefined || to === undefined ? [] : this.#cellsOf(from);
      return cells
        .filter((cell) => cell.target === to && cell.provenance === by)
        .map((cell): Edge => {
          const { weight, confidence, decay } = cell;
          const verifiedAt = Number.isNaN(cell.verifiedAt) ? null : cell.verifiedAt;
          return { source, target, type: EDGE_TYPES[cell.type]!, provenance, weight, confidence, decay, verifiedAt };
        });
    });
  }

  /** A million objects take seconds to make: see `load`. */
  all(): readonly Edge[] {
    const { names, ...columns } = atOnce(this.load());
    return Array.from(columns.source, (source, at): Edge => {
      const verifiedAt = columns.verifiedAt[at]!;
      return {
        source: names[source] as EntityId,
        target: names[columns.target[at]!] as EntityId,
        type: EDGE_TYPES[columns.type[at]!]!,
        provenance: names[columns.provenance[at]!]!,
        weight: columns.weight[at]!,
        confidence: columns.confidence[at]!,
        decay: columns.decay[at]!,
        verifiedAt: Number.isNaN(verifiedAt) ? null : verifiedAt,
      };
    });
  }

  /** Deletes these edges, whatever their numbers are. */
  remove(edges: readonly Edge[]): void {
    this.#write(() => {
      for (const { source, target, provenance, type } of edges) {
        const [from, to, by] = [this.#known(source), this.#known(target), this.#known(provenance)];
        if (from === undefined || to === undefined || by === undefined) continue;
        const no = EDGE_TYPES.indexOf(type);
        this.#dropFrom(from, (cell) => cell.target === to && cell.provenance === by && cell.type === no);
      }
    });
  }

  *load(): Sliced<EdgeColumns> {
    const rows: EdgeRow[] = [];
    for (const chunk of this.#chunks()) {
      for (const row of chunk) rows.push(row);
      yield;
    }
    // After the rows: an edge that is written meanwhile may have new names.
    const names = yield* this.#allNames();
    const count = rows.reduce((sum, [, bytes]) => sum + bytes.byteLength / EDGE_BYTES, 0);
    const columns: EdgeColumns = {
      names,
      source: new Uint32Array(count),
      target: new Uint32Array(count),
      provenance: new Uint32Array(count),
      type: new Uint8Array(count),
      weight: new Float64Array(count),
      confidence: new Float64Array(count),
      decay: new Float64Array(count),
      verifiedAt: new Float64Array(count),
    };
    let at = 0;
    for (const [no, [source, bytes]] of rows.entries()) {
      const from = at;
      at += copyEdges(bytes, columns, at);
      columns.source.fill(source, from, at);
      if (no % CHUNK === 0) yield;
    }
    return columns;
  }

  *#allNames(): Sliced<readonly string[]> {
    const names: string[] = [];
    // SQLite counts from 1, and a number is never used again.
    for (let after = 0; ; after = names.length - 1) {
      const chunk = this.#names.all<readonly [number, string]>(after, NAMES_CHUNK);
      for (const [no, name] of chunk) names[no] = fromStoredText(name);
      if (chunk.length < NAMES_CHUNK) return names;
      yield;
    }
  }

  *#chunks(): Generator<readonly EdgeRow[]> {
    for (let after = 0; ; ) {
      const rows = this.#rows.all<EdgeRow>(after, CHUNK);
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < CHUNK) return;
      after = last[0];
    }
  }

  #cellsOf(source: number): EdgeCell[] {
    const row = this.#edgesOf.get<{ edges: Uint8Array }>(source);
    return row === undefined ? [] : decodeEdges(row.edges);
  }

  #dropFrom(source: number, isGone: (cell: EdgeCell) => boolean): number {
    const cells = this.#cellsOf(source);
    const kept = cells.filter((cell) => !isGone(cell));
    if (kept.length === cells.length) return 0;
    if (kept.length === 0) this.#dropEdges.run(source);
    else this.#putEdges.run(source, encodeEdges(kept));
    return cells.length - kept.length;
  }

  #toCell({ target, provenance, type, weight, confidence, decay, verifiedAt }: Edge): EdgeCell {
    return {
      target: this.#numberOf(target),
      provenance: this.#numberOf(provenance),
      type: EDGE_TYPES.indexOf(type),
      weight,
      confidence,
      decay,
      verifiedAt: verifiedAt ?? Number.NaN,
    };
  }

  #known(name: string): number | undefined {
    return this.#name.get<{ no: number }>(toStoredText(name))?.no;
  }

  #numberOf(name: string): number {
    const known = this.#known(name);
    if (known !== undefined) return known;
    this.#addName.run(toStoredText(name));
    return this.#known(name)!;
  }
}

const keyOf = ({ target, provenance, type }: EdgeCell): string => `${target} ${type} ${provenance}`;
