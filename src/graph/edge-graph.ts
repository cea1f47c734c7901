import type { EdgeColumns, EdgeSelection } from '../engines/edge-store.ts';
import type { Sliced } from '../engines/in-slices.ts';
import type { EntityId } from '../model/entity.ts';
import { compareEdges, EDGE_TYPES, type Edge, type Surroundings } from '../model/entity-parts/edge.ts';
import { type AroundOptions, DEFAULT_AROUND_LIMIT } from './graph-store.ts';
import { NumberColumn } from './number-column.ts';

/** The end of a list. */
const NONE = -1;

/** By edge: the next edge of its source and of its target. By node: the first of both lists, and sums over its edges. */
interface EdgeLists {
  readonly nextOut: Int32Array;
  readonly nextIn: Int32Array;
  readonly firstOut: Int32Array;
  readonly firstIn: Int32Array;
  readonly degree: Uint32Array;
  readonly strength: Float64Array;
}

/** Edges in one slice: a few milliseconds. */
const SLICE = 50_000;

const float = (length: number) => new Float64Array(length);
const whole = (length: number) => new Uint32Array(length);
const link = (length: number) => new Int32Array(length);
const byte = (length: number) => new Uint8Array(length);

/** Names in one slice: a few milliseconds. */
const NAMES_SLICE = 10_000;

/**
 * A graph in typed arrays. Each edge is a row of the columns; each node has two linked lists of its rows, out and in, so that
 * an edge is added or replaced without building anything again. A million edges take a second to fill and 70 MB.
 */
export class EdgeGraph {
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #source: NumberColumn<Uint32Array>;
  readonly #target: NumberColumn<Uint32Array>;
  readonly #provenance: NumberColumn<Uint32Array>;
  readonly #type: NumberColumn<Uint8Array>;
  readonly #weight: NumberColumn<Float64Array>;
  readonly #confidence: NumberColumn<Float64Array>;
  readonly #decay: NumberColumn<Float64Array>;
  readonly #verifiedAt: NumberColumn<Float64Array>;
  readonly #nextOut: NumberColumn<Int32Array>;
  readonly #nextIn: NumberColumn<Int32Array>;
  /** By node: the first row of each list, the number of rows in both, and the sum of their strengths. */
  readonly #firstOut: NumberColumn<Int32Array>;
  readonly #firstIn: NumberColumn<Int32Array>;
  readonly #degree: NumberColumn<Uint32Array>;
  readonly #strength: NumberColumn<Float64Array>;
  #rows = 0;

  private constructor(columns?: EdgeColumns, lists?: EdgeLists) {
    this.#source = new NumberColumn(whole, columns?.source ?? 0);
    this.#target = new NumberColumn(whole, columns?.target ?? 0);
    this.#provenance = new NumberColumn(whole, columns?.provenance ?? 0);
    this.#type = new NumberColumn(byte, columns?.type ?? 0);
    this.#weight = new NumberColumn(float, columns?.weight ?? 0);
    this.#confidence = new NumberColumn(float, columns?.confidence ?? 0);
    this.#decay = new NumberColumn(float, columns?.decay ?? 0);
    this.#verifiedAt = new NumberColumn(float, columns?.verifiedAt ?? 0);
    this.#nextOut = new NumberColumn(link, lists?.nextOut ?? 0);
    this.#nextIn = new NumberColumn(link, lists?.nextIn ?? 0);
    this.#firstOut = new NumberColumn(link, lists?.firstOut ?? 0);
    this.#firstIn = new NumberColumn(link, lists?.firstIn ?? 0);
    this.#degree = new NumberColumn(whole, lists?.degree ?? 0);
    this.#strength = new NumberColumn(float, lists?.strength ?? 0);
    this.#rows = columns?.source.length ?? 0;
  }

  static empty(): EdgeGraph {
    return new EdgeGraph();
  }

  /** Takes over the columns: they must not be used afterwards. */
  static *of(columns: EdgeColumns): Sliced<EdgeGraph> {
    const graph = new EdgeGraph(columns, yield* listEdges(columns));
    for (const [no, name] of columns.names.entries()) {
      // A number without a name has no edges.
      if (name !== undefined) graph.#numbers.set(name, no);
      graph.#names.push(name ?? '');
      if (no % NAMES_SLICE === 0) yield;
    }
    return graph;
  }

  put(edge: Edge): void {
    const source = this.#numberOf(edge.source);
    const target = this.#numberOf(edge.target);
    const provenance = this.#numberOf(edge.provenance);
    const type = EDGE_TYPES.indexOf(edge.type);
    const old = this.#find(source, (row) => {
      return this.#target.at(row) === target && this.#type.at(row) === type && this.#provenance.at(row) === provenance;
    });
    const { weight, confidence, decay, verifiedAt } = edge;
    if (old === NONE) {
      this.#add(source, target, provenance, type, weight, confidence, decay, verifiedAt ?? Number.NaN);
      return;
    }
    this.#count(old, -1);
    this.#weight.set(old, weight);
    this.#confidence.set(old, confidence);
    this.#decay.set(old, decay);
    this.#verifiedAt.set(old, verifiedAt ?? Number.NaN);
    this.#count(old, 1);
  }

  /** Returns how many were deleted. */
  delete({ provenance, between }: EdgeSelection): number {
    const by = this.#numbers.get(provenance);
    if (by === undefined) return 0;
    const ends = between === undefined ? undefined : new Set(between.map((node) => this.#numbers.get(node) ?? NONE));
    let deleted = 0;
    for (const source of ends ?? this.#names.keys()) {
      if (source === NONE) continue;
      for (;;) {
        const row = this.#find(source, (at) => {
          return this.#provenance.at(at) === by && (ends === undefined || ends.has(this.#target.at(at)));
        });
        if (row === NONE) break;
        this.#count(row, -1);
        unlink(this.#firstOut, this.#nextOut, source, row);
        unlink(this.#firstIn, this.#nextIn, this.#target.at(row), row);
        deleted += 1;
      }
    }
    return deleted;
  }

  around(nodes: readonly EntityId[], options: AroundOptions = {}): readonly Surroundings[] {
    const { types, within = false, limit = DEFAULT_AROUND_LIMIT } = options;
    const wanted = types === undefined ? null : new Set(types.map((type) => EDGE_TYPES.indexOf(type)));
    const among = within ? new Set(nodes.map((node) => this.#numbers.get(node))) : null;
    const found: Surroundings[] = [];
    for (const node of nodes) {
      const no = this.#numbers.get(node);
      const degree = no === undefined ? 0 : this.#degree.at(no);
      if (no === undefined || degree === 0) continue;
      const edges: Edge[] = [];
      for (const [first, next, other] of this.#lists()) {
        for (let row = first.at(no); row !== NONE; row = next.at(row)) {
          if (wanted !== null && !wanted.has(this.#type.at(row))) continue;
          if (among !== null && !among.has(other.at(row))) continue;
          edges.push(this.#edgeAt(row));
        }
      }
      edges.sort(compareEdges);
      found.push({ node, edges: edges.slice(0, limit), degree, strength: Math.max(0, this.#strength.at(no)) });
    }
    return found;
  }

  #lists() {
    return [
      [this.#firstOut, this.#nextOut, this.#target],
      [this.#firstIn, this.#nextIn, this.#source],
    ] as const;
  }

  #add(
    source: number,
    target: number,
    provenance: number,
    type: number,
    weight: number,
    confidence: number,
    decay: number,
    verifiedAt: number,
  ): void {
    const row = this.#rows++;
    this.#source.set(row, source);
    this.#target.set(row, target);
    this.#provenance.set(row, provenance);
    this.#type.set(row, type);
    this.#weight.set(row, weight);
    this.#confidence.set(row, confidence);
    this.#decay.set(row, decay);
    this.#verifiedAt.set(row, verifiedAt);
    this.#link(row, source, target);
  }

  #link(row: number, source: number, target: number): void {
    this.#nextOut.set(row, this.#firstOut.at(source));
    this.#firstOut.set(source, row);
    this.#nextIn.set(row, this.#firstIn.at(target));
    this.#firstIn.set(target, row);
    this.#count(row, 1);
  }

  #count(row: number, sign: 1 | -1): void {
    const strength = sign * this.#weight.at(row) * this.#confidence.at(row);
    this.#countAt(this.#source.at(row), sign, strength);
    this.#countAt(this.#target.at(row), sign, strength);
  }

  #countAt(node: number, sign: 1 | -1, strength: number): void {
    this.#degree.set(node, this.#degree.at(node) + sign);
    this.#strength.set(node, this.#strength.at(node) + strength);
  }

  #find(source: number, isMeant: (row: number) => boolean): number {
    for (let row = this.#firstOut.at(source); row !== NONE; row = this.#nextOut.at(row)) if (isMeant(row)) return row;
    return NONE;
  }

  #edgeAt(row: number): Edge {
    const verifiedAt = this.#verifiedAt.at(row);
    return {
      source: this.#names[this.#source.at(row)] as EntityId,
      target: this.#names[this.#target.at(row)] as EntityId,
      type: EDGE_TYPES[this.#type.at(row)]!,
      weight: this.#weight.at(row),
      confidence: this.#confidence.at(row),
      decay: this.#decay.at(row),
      verifiedAt: Number.isNaN(verifiedAt) ? null : verifiedAt,
      provenance: this.#names[this.#provenance.at(row)]!,
    };
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const no = this.#names.length;
    this.#names.push(name);
    this.#numbers.set(name, no);
    this.#clearNode(no);
    return no;
  }

  #clearNode(no: number): void {
    this.#firstOut.set(no, NONE);
    this.#firstIn.set(no, NONE);
    this.#degree.set(no, 0);
    this.#strength.set(no, 0);
  }
}

function unlink(first: NumberColumn<Int32Array>, next: NumberColumn<Int32Array>, node: number, row: number): void {
  if (first.at(node) === row) {
    first.set(node, next.at(row));
    return;
  }
  for (let at = first.at(node); at !== NONE; at = next.at(at)) {
    if (next.at(at) !== row) continue;
    next.set(at, next.at(row));
    return;
  }
}

/** All edges at once, on plain arrays: a million calls of methods would take longer than all the rest. */
function* listEdges({ names, source, target, weight, confidence }: EdgeColumns): Sliced<EdgeLists> {
  const nodes = names.length;
  const lists: EdgeLists = {
    nextOut: new Int32Array(source.length),
    nextIn: new Int32Array(source.length),
    firstOut: new Int32Array(nodes).fill(NONE),
    firstIn: new Int32Array(nodes).fill(NONE),
    degree: new Uint32Array(nodes),
    strength: new Float64Array(nodes),
  };
  const { nextOut, nextIn, firstOut, firstIn, degree, strength } = lists;
  for (let from = 0; from < source.length; from += SLICE) {
    const end = Math.min(from + SLICE, source.length);
    for (let row = from; row < end; row++) {
      const a = source[row]!;
      const b = target[row]!;
      const own = weight[row]! * confidence[row]!;
      nextOut[row] = firstOut[a]!;
      firstOut[a] = row;
      nextIn[row] = firstIn[b]!;
      firstIn[b] = row;
      degree[a]! += 1;
      degree[b]! += 1;
      strength[a]! += own;
      strength[b]! += own;
    }
    yield;
  }
  return lists;
}
