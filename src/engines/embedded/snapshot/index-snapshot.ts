import type { EmbedderIdentity } from '../../../model/embedder-identity.ts';
import { type EntityId, STATUSES, splitEntityId, VISIBILITIES } from '../../../model/entity.ts';
import { UNIT_KINDS, unitId } from '../../../model/entity-parts/unit.ts';
import type { MemoryFacts } from '../../../model/entity-types/memory-facts.ts';
import { BoostIndex } from '../../../search/keyword/boost/boost-index.ts';
import type { IndexParts } from '../../../search/keyword/index-parts.ts';
import { KeywordIndex } from '../../../search/keyword/keyword-index.ts';
import { ANALYZER_VERSION } from '../../../search/text/analyzer.ts';
import { RowIndex, type RowIndexOptions } from '../index/row-index.ts';
import type { EntityRow, UnitRow, UnitTable } from '../index/unit-table.ts';
import type { VectorSource } from '../index/vector-space.ts';
import { SnapshotFile, type SnapshotPart, writeSnapshotFile } from './snapshot-file.ts';

/** Increase it whenever an index changes the format of its parts. */
const FORMAT = 6;

/** A snapshot is used only if its identity matches. */
interface SnapshotIdentity {
  readonly format: number;
  readonly analyzer: number;
  /** The name that the record gave it. Only this record can bring it up to date. */
  readonly snapshot: string;
  /** The last write of the record that it includes. */
  readonly seq: number;
}

interface LoadedSnapshot {
  readonly index: RowIndex;
  readonly seq: number;
}

/** Without vectors: the record has them in the form that the index takes. */
export function saveSnapshot(file: string, snapshot: string, seq: number, index: RowIndex): void {
  const identity: SnapshotIdentity = { format: FORMAT, analyzer: ANALYZER_VERSION, snapshot, seq };
  writeSnapshotFile(file, identity, {
    ...tableParts(index.table),
    ...prefixed('keyword', index.keyword.toParts()),
    ...prefixed('boost', index.boost.toParts()),
  });
}

/** Throws a plain Error with the reason if the file is missing, incomplete, or of another index. */
export function loadSnapshot(
  file: string,
  snapshot: string,
  embedder: EmbedderIdentity | null,
  vectors: VectorSource,
  options: RowIndexOptions,
): LoadedSnapshot {
  const opened = new SnapshotFile<SnapshotIdentity>(file);
  try {
    const { identity } = opened;
    if (identity.format !== FORMAT) throw new Error(`it has format ${identity.format}, not ${FORMAT}`);
    if (identity.analyzer !== ANALYZER_VERSION) throw new Error('it was made with another analyzer');
    if (identity.snapshot !== snapshot) throw new Error('it belongs to another state of the database');
    const parts = {
      keyword: KeywordIndex.fromParts(partsOf(opened, 'keyword')),
      boost: BoostIndex.fromParts(partsOf(opened, 'boost')),
      vectors,
    };
    const index = new RowIndex(embedder, parts, options);
    fillTable(opened, index);
    return { index, seq: identity.seq };
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

/** Entities in one text: a single one of all would reach the length that V8 allows at some 4 million units. */
const TEXT_ENTITIES = 10_000;

/** Stored by column: an array per entity would be 100,000 small arrays to collect. */
interface TableColumns {
  readonly ids: readonly EntityId[];
  readonly tags: readonly (readonly string[])[];
  readonly facets: readonly (readonly string[])[];
  readonly readers: readonly (readonly string[])[];
  readonly memories: readonly (MemoryFacts | null)[];
  readonly keys: readonly string[];
  readonly titles: readonly string[];
  readonly textHashes: readonly string[];
}

/** Numbers per entity: its number, status, enabled, visibility, unit count. Then per unit: row, kind. */
const ENTITY_NUMBERS = 5;
const UNIT_NUMBERS = 2;

function columnsOf(entities: readonly EntityRow[]): TableColumns {
  const units = entities.flatMap((entity) => entity.units);
  const keys = entities.flatMap(({ facts, units }) => units.map(({ id }) => id.slice(facts.id.length + 1)));
  return {
    ids: entities.map(({ facts }) => facts.id),
    tags: entities.map(({ facts }) => facts.tags),
    facets: entities.map(({ facts }) => facts.facets),
    readers: entities.map(({ facts }) => facts.readers),
    memories: entities.map(({ facts }) => facts.memory),
    keys,
    titles: units.map(({ title }) => title),
    textHashes: units.map(({ textHash }) => textHash),
  };
}

function tableParts(table: UnitTable): Record<string, SnapshotPart> {
  const entities = [...table.entities()];
  const numbers = new Uint32Array(entities.length * ENTITY_NUMBERS + table.unitCount * UNIT_NUMBERS);
  let at = 0;
  for (const { no, facts, units } of entities) {
    const { status, enabled, visibility } = facts;
    numbers.set([no, STATUSES.indexOf(status), enabled ? 1 : 0, VISIBILITIES.indexOf(visibility), units.length], at);
    at += ENTITY_NUMBERS;
    for (const { row, kind } of units) {
      numbers.set([row, UNIT_KINDS.indexOf(kind)], at);
      at += UNIT_NUMBERS;
    }
  }
  const parts: Record<string, SnapshotPart> = { 'table.numbers': numbers };
  for (let from = 0; from < entities.length; from += TEXT_ENTITIES) {
    parts[columnsPart(from)] = JSON.stringify(columnsOf(entities.slice(from, from + TEXT_ENTITIES)));
  }
  return parts;
}

const columnsPart = (from: number): string => `table.columns.${from}`;

function fillTable(file: SnapshotFile<unknown>, index: RowIndex): void {
  const numbers = file.part('table.numbers') as Uint32Array;
  for (let from = 0, at = 0; at < numbers.length; from += TEXT_ENTITIES) {
    at = fillFrom(JSON.parse(String(file.part(columnsPart(from)))), numbers, at, index);
  }
}

/** Returns where the numbers of the next columns begin. */
function fillFrom(columns: TableColumns, numbers: Uint32Array, start: number, index: RowIndex): number {
  const { ids, tags, facets, readers, memories, keys, titles, textHashes } = columns;
  let at = start;
  let next = 0;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    const no = numbers[at]!;
    const status = STATUSES[numbers[at + 1]!]!;
    const enabled = numbers[at + 2] === 1;
    const visibility = VISIBILITIES[numbers[at + 3]!]!;
    const count = numbers[at + 4]!;
    at += ENTITY_NUMBERS;
    const { type } = splitEntityId(id);
    const units: UnitRow[] = [];
    for (let k = 0; k < count; k++, next++, at += UNIT_NUMBERS) {
      const row = numbers[at]!;
      const kind = UNIT_KINDS[numbers[at + 1]!]!;
      const [key, title, textHash] = [keys[next]!, titles[next]!, textHashes[next]!];
      units.push({ row, id: unitId(id, key), entity: id, type, kind, title, textHash, actions: null });
    }
    const facts = {
      id,
      type,
      status,
      enabled,
      tags: tags[i]!,
      readers: readers[i]!,
      visibility,
      facets: facets[i]!,
      memory: memories[i]!,
    };
    index.setEntity({ no, facts, units });
  }
  return at;
}
