import type { RecordStore, StoredDocument } from './record/record-store.ts';

export interface EntityTextLimits {
  /** Of all texts together, in characters. */
  readonly maxChars: number;
  /** Of one text, in bytes: a large one takes longer to parse than to read. */
  readonly maxBytes: number;
  /** Entities that are read one by one at first: a command that asks a question or two needs no others. */
  readonly readsBefore: number;
}

const LIMITS: EntityTextLimits = { maxChars: 48_000_000, maxBytes: 8192, readsBefore: 200 };

/** Entities with neighboring numbers are neighbors on disk: so many are read together. */
const BLOCK_ENTITIES = 64;

/**
 * Stored entities in memory, as texts: a text takes little room, and finding one in the database takes longer than parsing
 * it. The first entity of a block that is asked for brings in its neighbors. What does not fit is read when it is wanted.
 */
export class EntityTexts {
  readonly #record: RecordStore;
  readonly #limits: EntityTextLimits;
  readonly #texts = new Map<number, StoredDocument>();
  /** Blocks that have been brought in. */
  readonly #blocks = new Set<number>();
  #chars = 0;
  #reads = 0;

  constructor(record: RecordStore, limits: EntityTextLimits = LIMITS) {
    this.#record = record;
    this.#limits = limits;
  }

  /** By their numbers, in no order; numbers that no entity has are left out. */
  read(numbers: readonly number[]): readonly StoredDocument[] {
    const found: StoredDocument[] = [];
    const missing: number[] = [];
    for (const no of numbers) {
      const text = this.#texts.get(no) ?? this.#bringIn(no);
      if (text === undefined) missing.push(no);
      else found.push(text);
    }
    if (missing.length === 0) return found;
    this.#reads += missing.length;
    for (const text of this.#record.readEntities(missing)) {
      // It may have been written after its block was brought in.
      if (this.#blocks.has(blockOf(text[0])) && this.#fits(text)) this.#keep(text);
      found.push(text);
    }
    return found;
  }

  /** To be called when an entity has changed or is gone. */
  forget(no: number): void {
    this.#chars -= this.#texts.get(no)?.[3].length ?? 0;
    this.#texts.delete(no);
  }

  #bringIn(no: number): StoredDocument | undefined {
    const { maxChars, maxBytes, readsBefore } = this.#limits;
    const block = blockOf(no);
    if (this.#reads < readsBefore || this.#blocks.has(block) || this.#chars >= maxChars) return undefined;
    this.#blocks.add(block);
    const from = block * BLOCK_ENTITIES;
    for (const text of this.#record.readBlock(from, from + BLOCK_ENTITIES, maxBytes)) this.#keep(text);
    return this.#texts.get(no);
  }

  #fits([, , , json]: StoredDocument): boolean {
    const { maxChars, maxBytes } = this.#limits;
    return this.#chars < maxChars && Buffer.byteLength(json) <= maxBytes;
  }

  #keep(text: StoredDocument): void {
    this.#texts.set(text[0], text);
    this.#chars += text[3].length;
  }
}

function blockOf(no: number): number {
  return Math.floor(no / BLOCK_ENTITIES);
}
