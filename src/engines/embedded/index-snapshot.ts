import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { type EntityId, STATUSES, splitEntityId } from '../../model/entity.ts';
import { UNIT_KINDS, unitId } from '../../model/unit.ts';
import { BoostIndex } from '../../search/keyword/boost-index.ts';
import type { IndexParts } from '../../search/keyword/index-parts.ts';
import { KeywordIndex } from '../../search/keyword/keyword-index.ts';
import { ANALYZER_VERSION } from '../../search/text/analyzer.ts';
import { VectorIndex, type VectorParts } from '../../search/vector/vector-index.ts';
import { SearchIndex } from './search-index.ts';
import { SnapshotFile, type SnapshotPart, writeSnapshotFile } from './snapshot-file.ts';
import type { UnitTable } from './unit-table.ts';

/** Raised whenever any index writes its parts in another way. */
const FORMAT = 1;

/** Vectors are read this much at a time. */
const PIECE_BYTES = 1 << 22;

/** Says which index this is. A snapshot with another identity is of no use. */
interface SnapshotIdentity {
  readonly format: number;
  readonly analyzer: number;
  /** The name that the record gave it: only that record, in a later state, can bring it up to date. */
  readonly snapshot: string;
  /** The write of the record that it holds everything up to. */
  readonly seq: number;
  /** Whose vectors it holds. */
  readonly embedder: string | null;
}

export interface LoadedSnapshot {
  readonly index: SearchIndex;
  readonly seq: number;
  /** False when the vectors in it are another embedder's, and were left there. */
  readonly hasVectors: boolean;
}

export interface SnapshotOf {
  readonly snapshot: string;
  readonly seq: number;
  readonly embedder: EmbedderIdentity | null;
}

export function saveSnapshot(file: string, of: SnapshotOf, index: SearchIndex): void {
  const identity: SnapshotIdentity = {
    format: FORMAT,
    analyzer: ANALYZER_VERSION,
    snapshot: of.snapshot,
    seq: of.seq,
    embedder: of.embedder?.id ?? null,
  };
  writeSnapshotFile(file, identity, {
    table: tableToJson(index.table),
    ...prefixed('keyword', index.keyword.toParts()),
    ...prefixed('boost', index.boost.toParts()),
    ...(index.vectors === null ? {} : vectorParts(index.vectors.toParts())),
  });
}

/** Throws a plain Error that says why when the file is not there, not whole, or not this index. */
export function loadSnapshot(file: string, snapshot: string, embedder: EmbedderIdentity | null): LoadedSnapshot {
  const opened = new SnapshotFile<SnapshotIdentity>(file);
  try {
    const { identity } = opened;
    if (identity.format !== FORMAT) throw new Error(`it has format ${identity.format}, not ${FORMAT}`);
    if (identity.analyzer !== ANALYZER_VERSION) throw new Error('it was made with another analyzer');
    if (identity.snapshot !== snapshot) throw new Error('it belongs to another state of the database');
    const hasVectors = identity.embedder === (embedder?.id ?? null);
    const index = new SearchIndex(embedder, {
      keyword: KeywordIndex.fromParts(partsOf(opened, 'keyword')),
      boost: BoostIndex.fromParts(partsOf(opened, 'boost')),
      vectors: hasVectors && embedder !== null ? VectorIndex.fromParts(vectorPartsOf(opened)) : null,
    });
    tableFromJson(String(opened.part('table')), index);
    return { index, seq: identity.seq, hasVectors };
  } finally {
    opened.close();
  }
}

function prefixed(prefix: string, parts: IndexParts): Record<string, SnapshotPart> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [`${prefix}.${name}`, part]));
}

function partsOf(file: SnapshotFile<unknown>, prefix: string): IndexParts {
  const names = file.names().filter((name) => name.startsWith(`${prefix}.`));
  return Object.fromEntries(names.map((name) => [name.slice(prefix.length + 1), file.part(name)]));
}

function vectorParts({ dimensions, rows, stride, present, vectors }: VectorParts): Record<string, SnapshotPart> {
  return {
    'vectors.shape': JSON.stringify({ dimensions, rows, stride }),
    'vectors.present': present,
    'vectors.numbers': vectors,
  };
}

function vectorPartsOf(file: SnapshotFile<unknown>): VectorParts {
  const shape: Pick<VectorParts, 'dimensions' | 'rows' | 'stride'> = JSON.parse(String(file.part('vectors.shape')));
  const rowBytes = shape.stride * Float32Array.BYTES_PER_ELEMENT;
  const pieceBytes = Math.max(1, Math.floor(PIECE_BYTES / rowBytes)) * rowBytes;
  return {
    ...shape,
    present: file.part('vectors.present') as Uint32Array,
    vectors: file.pieces('vectors.numbers', pieceBytes) as Iterable<Float32Array>,
  };
}

type UnitLine = readonly [row: number, key: string, kind: number, title: string, textHash: string];
type EntityLine = readonly [
  no: number,
  id: EntityId,
  status: number,
  enabled: 0 | 1,
  tags: readonly string[],
  readers: readonly string[],
  units: readonly UnitLine[],
];

function tableToJson(table: UnitTable): string {
  const lines = Array.from(table.entities(), ({ no, facts, units }): EntityLine => {
    const unitLines = units.map(
      (unit): UnitLine => [unit.row, unit.key, UNIT_KINDS.indexOf(unit.kind), unit.title, unit.textHash],
    );
    const status = STATUSES.indexOf(facts.status);
    return [no, facts.id, status, facts.enabled ? 1 : 0, facts.tags, facts.readers, unitLines];
  });
  return JSON.stringify(lines);
}

function tableFromJson(json: string, index: SearchIndex): void {
  for (const [no, id, status, enabled, tags, readers, lines] of JSON.parse(json) as readonly EntityLine[]) {
    const units = lines.map(([row, key, kind, title, textHash]) => {
      return { row, id: unitId(id, key), key, kind: UNIT_KINDS[kind]!, title, textHash };
    });
    const { type } = splitEntityId(id);
    const facts = { id, type, status: STATUSES[status]!, enabled: enabled === 1, tags, readers };
    index.setEntity({ no, facts, units });
  }
}
