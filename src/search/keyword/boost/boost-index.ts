import { type Explanation, leaf, sum } from '../../../model/answer/explanation.ts';
import { FIELDS, type Field, type UnitKind } from '../../../model/entity-parts/unit.ts';
import { DowserError } from '../../../model/errors/errors.ts';
import { BestRows } from '../../rows/best-rows.ts';
import { grown } from '../../rows/grown.ts';
import type { RowScores, RowSearchOptions } from '../../rows/row-scores.ts';
import type { AnalyzedUnit } from '../../text/analyzed-unit.ts';
import { detachString } from '../../text/detach-string.ts';
import { bytesPart, headerPart, type IndexParts, postingsPart, uint32Part, wordsPart } from '../index-parts.ts';
import { ListChanges } from '../postings/list-changes.ts';
import { PostingPool } from '../postings/posting-pool.ts';
import { type PreparedChange, prepareChange } from '../postings/prepared-change.ts';
import { TermLists } from '../terms/term-lists.ts';
import { SubstringIndex } from './substring-index.ts';
import { BOOST } from './text-boost.ts';

type RawWords = Pick<AnalyzedUnit, 'words' | 'wordFields'>;

interface BoostRow {
  /** The row of the entity's card. For a card, its own row. */
  readonly cardRow: number;
  readonly kind: UnitKind;
}

/** What a row had and what it will have; null: nothing. */
export interface BoostChange extends BoostRow {
  readonly row: number;
  readonly before: RawWords | null;
  readonly after: RawWords | null;
}

const FORMAT = 1;
const NOT_INDEXED = 0xffffffff;

const bitOf = (field: Field): number => 1 << FIELDS.indexOf(field);
const CARD_FIELDS = (['path', 'name', 'description', 'tags', 'metadata'] as const).map((field) => ({
  field,
  bit: bitOf(field),
}));
const CARD_BITS = CARD_FIELDS.reduce((bits, { bit }) => bits | bit, 0);
const METADATA_BIT = bitOf('metadata');
const TOOL_BITS = bitOf('name') | bitOf('description');

/** The fields of a row that count. 0: rows of this kind are ignored. */
const bitsOf = (kind: UnitKind): number => (kind === 'card' ? CARD_BITS : kind === 'tool' ? TOOL_BITS : 0);

/** The boost of a card by the bits of its matching fields. */
const FIELD_BOOST = Float64Array.from({ length: 2 ** FIELDS.length }, (_, mask) =>
  CARD_FIELDS.reduce((total, { field, bit }) => total + ((mask & bit) === 0 ? 0 : BOOST[field]), 0),
);

/**
 * An index for the registry's text boost. Gives the same boosts as `textBoost`, without reading every entity.
 *
 * Only cards have scores. A matching tool row adds to the card of its entity. Rows of other kinds are ignored.
 * For each distinct word, the index has a posting list of rows and fields. A substring index finds the words that contain
 * a token. Pass tokens of `boostTokens`. Without tokens nothing matches.
 */
export class BoostIndex {
  readonly #lists: TermLists;
  readonly #substrings: SubstringIndex;
  readonly #pool: PostingPool<Uint8Array>;
  /** For each row, the row of its card; NOT_INDEXED if the row is not in the index. */
  #cards: Uint32Array;
  #size: number;
  #masks = new Uint8Array(0);
  #toolCounts = new Uint32Array(0);

  /** Creates an empty index. `state` is for `fromParts`. */
  constructor(state: IndexState = emptyState()) {
    this.#lists = state.lists;
    this.#substrings = new SubstringIndex(state.lists);
    this.#pool = state.pool;
    this.#cards = state.cards;
    this.#size = state.size;
  }

  /** The number of cards and tools in the index. */
  get size(): number {
    return this.#size;
  }

  /** The row must not be in the index. A tool can be added before or after its card. */
  add(row: number, unit: RawWords, { cardRow, kind }: BoostRow): void {
    const bits = bitsOf(kind);
    if (bits === 0) return;
    if (this.#isTaken(row)) throw outOfSync(`row ${row} is taken`);
    unit.words.forEach((word, i) => {
      const fields = unit.wordFields[i]! & bits;
      if (fields !== 0) this.#pool.insert(this.#listFor(word), row, fields);
    });
    this.#setCard(row, cardRow);
  }

  /** Pass the same unit as to `add`. Does nothing if the row is not in the index, for example a row of another kind. */
  remove(row: number, unit: RawWords): void {
    if (!this.#isTaken(row)) return;
    const bits = this.#cards[row] === row ? CARD_BITS : TOOL_BITS;
    unit.words.forEach((word, i) => {
      if ((unit.wordFields[i]! & bits) === 0) return;
      const list = this.#lists.get(word);
      if (list === undefined || !this.#pool.remove(list, row)) throw outOfSync(`row ${row} has no word '${word}'`);
      if (this.#pool.length(list) === 0) this.#drop(word, list);
    });
    this.#clearCard(row);
  }

  /** As `KeywordIndex.prepare`. */
  prepare(changes: readonly BoostChange[]): Generator<void, PreparedChange> {
    const lists = new ListChanges(this.#pool);
    const created: number[] = [];
    return prepareChange(changes, lists, {
      note: (change) => this.#noteRemoved(lists, change.row, change.before) + this.#noteAdded(lists, change, created),
      prepare: () => this.#prepareRows(changes, created),
      sweep: ({ before }) => this.#dropEmpty(before?.words ?? []),
      forget: () => this.#dropEmpty(created.map((list) => this.#lists.at(list))),
      outOfSync: () => outOfSync('a row lacks a word that is removed'),
    });
  }

  #noteRemoved(lists: ListChanges<Uint8Array>, row: number, unit: RawWords | null): number {
    if (unit === null || !this.#isTaken(row)) return 0;
    const bits = this.#cards[row] === row ? CARD_BITS : TOOL_BITS;
    unit.words.forEach((word, i) => {
      if ((unit.wordFields[i]! & bits) === 0) return;
      const list = this.#lists.get(word);
      if (list === undefined) throw outOfSync(`row ${row} has no word '${word}'`);
      lists.remove(list, row);
    });
    return unit.words.length;
  }

  #noteAdded(lists: ListChanges<Uint8Array>, { row, after, kind }: BoostChange, created: number[]): number {
    const bits = bitsOf(kind);
    if (after === null || bits === 0) return 0;
    after.words.forEach((word, i) => {
      const fields = after.wordFields[i]! & bits;
      if (fields !== 0) lists.add(this.#listFor(word, created), row, fields);
    });
    return after.words.length;
  }

  *#prepareRows(changes: readonly BoostChange[], created: readonly number[]): Generator<void, () => void> {
    return () => {
      for (const list of created) this.#substrings.add(list);
      for (const { row, before, after, kind, cardRow } of changes) {
        if (before !== null && this.#isTaken(row)) this.#clearCard(row);
        if (after !== null && bitsOf(kind) !== 0) this.#setCard(row, cardRow);
      }
    };
  }

  #dropEmpty(words: readonly string[]): number {
    for (const word of words) {
      const list = this.#lists.get(word);
      if (list !== undefined && this.#pool.length(list) === 0) this.#drop(word, list);
    }
    return words.length;
  }

  #drop(word: string, list: number): void {
    this.#pool.drop(list);
    this.#lists.delete(word);
  }

  #setCard(row: number, cardRow: number): void {
    if (row >= this.#cards.length) {
      const before = this.#cards.length;
      this.#cards = grown(this.#cards, row + 1).fill(NOT_INDEXED, before);
    }
    this.#cards[row] = cardRow;
    this.#size++;
  }

  #clearCard(row: number): void {
    this.#cards[row] = NOT_INDEXED;
    this.#size--;
  }

  /** The best `limit` eligible cards with a boost above 0. */
  search(tokens: readonly string[], { eligible, limit, compareRows }: RowSearchOptions): RowScores {
    const best = new BestRows();
    best.start(limit, compareRows);
    this.#withMatches(tokens, (cards) => {
      for (const row of cards) {
        const boost = this.#boostOf(row);
        if (boost >= best.threshold && (eligible === null || eligible.has(row))) best.add(row, boost);
      }
    });
    return best.take();
  }

  /** The same boosts as `search`, in the order of `rows`. 0 for a row without a match. */
  scoreRows(tokens: readonly string[], rows: readonly number[]): number[] {
    return this.#withMatches(tokens, () => rows.map((row) => (this.#isCard(row) ? this.#boostOf(row) : 0)));
  }

  /** The boosts of the cards for each token by itself, repeated or not, summed, without metadata: the older document. */
  boostsForEach(tokens: readonly string[]): ReadonlyMap<number, number> {
    const boosts = new Map<number, number>();
    for (const token of tokens) {
      this.#withMatches([token], (cards) => {
        for (const row of cards) {
          const boost = FIELD_BOOST[this.#masks[row]! & ~METADATA_BIT]! + BOOST.tool * this.#toolCounts[row]!;
          if (boost > 0) boosts.set(row, (boosts.get(row) ?? 0) + boost);
        }
      });
    }
    return boosts;
  }

  /** The matching fields and tools of a card. */
  explain(tokens: readonly string[], row: number): Explanation {
    return this.#withMatches(tokens, () => {
      const mask = this.#isCard(row) ? this.#masks[row]! : 0;
      const parts = CARD_FIELDS.filter(({ bit }) => (mask & bit) !== 0).map(({ field }) => leaf(field, BOOST[field]));
      const tools = this.#isCard(row) ? this.#toolCounts[row]! : 0;
      if (tools > 0) parts.push(leaf('tools', tools * BOOST.tool, { matching_tools: tools, each: BOOST.tool }));
      return sum('boost', parts, { tokens: tokens.join(' ') });
    });
  }

  /** The parts of `boostsForEach` for one card. */
  explainEach(tokens: readonly string[], row: number): Explanation {
    const parts: Explanation[] = [];
    for (const token of tokens) {
      const matched = (this.explain([token], row).parts ?? []).filter(({ label }) => label !== 'metadata');
      if (matched.length > 0) parts.push(sum(token, matched));
    }
    return sum('boost', parts);
  }

  /** A snapshot for disk. The arrays are copies, so the index can change afterwards. */
  toParts(): IndexParts {
    const words = this.#lists.sorted();
    const { lengths, rows, payload } = this.#pool.compact(words.map((word) => this.#lists.get(word)!));
    return {
      header: JSON.stringify({ format: FORMAT, size: this.#size }),
      words: words.join('\n'),
      frequencies: lengths,
      postingRows: rows,
      postingFields: payload,
      cards: this.#cards.slice(),
    };
  }

  /** Uses the arrays without copying. Throws STORE_CORRUPT if they are inconsistent. */
  static fromParts(parts: IndexParts): BoostIndex {
    const { size = 0 } = headerPart(parts, FORMAT);
    const words = wordsPart(parts, 'words');
    const pool = postingsPart(parts, words.length, bytesPart(parts, 'postingFields'));
    return new BoostIndex({ lists: new TermLists(words), pool, cards: uint32Part(parts, 'cards'), size });
  }

  #isTaken(row: number): boolean {
    return (this.#cards[row] ?? NOT_INDEXED) !== NOT_INDEXED;
  }

  #isCard(row: number): boolean {
    return this.#cards[row] === row;
  }

  /** `created`: notes a new word there. The substring index gets it later: it is built again by searches if many are new. */
  #listFor(word: string, created?: number[]): number {
    let list = this.#lists.get(word);
    if (list === undefined) {
      list = this.#pool.create();
      this.#lists.set(detachString(word), list);
      if (created === undefined) this.#substrings.add(list);
      else created.push(list);
    }
    return list;
  }

  #boostOf(card: number): number {
    return FIELD_BOOST[this.#masks[card]!]! + BOOST.tool * this.#toolCounts[card]!;
  }

  /** Sets the masks and tool counts of the matches, calls `use` with the matching cards, then clears them. */
  #withMatches<T>(tokens: readonly string[], use: (cards: readonly number[]) => T): T {
    if (this.#masks.length < this.#cards.length) {
      this.#masks = new Uint8Array(this.#cards.length);
      this.#toolCounts = new Uint32Array(this.#cards.length);
    }
    const matchedRows = this.#markRows(tokens);
    const cards = this.#countTools(matchedRows);
    try {
      return use(cards);
    } finally {
      for (const row of matchedRows) this.#masks[row] = 0;
      for (const row of cards) this.#toolCounts[row] = 0;
    }
  }

  #markRows(tokens: readonly string[]): readonly number[] {
    const matchedRows: number[] = [];
    const masks = this.#masks;
    const lists = new Set<number>();
    for (const token of new Set(tokens)) for (const list of this.#substrings.containing(token)) lists.add(list);
    for (const list of lists) {
      const { rows, payload } = this.#pool.page(list);
      const from = this.#pool.start(list);
      const to = from + this.#pool.length(list);
      for (let at = from; at < to; at++) {
        const row = rows[at]!;
        const mask = masks[row]!;
        if (mask === 0) matchedRows.push(row);
        masks[row] = mask | payload[at]!;
      }
    }
    return matchedRows;
  }

  /** Counts the matching tools of each card. A card may match only by its tools. */
  #countTools(matchedRows: readonly number[]): readonly number[] {
    const cards: number[] = [];
    for (const row of matchedRows) {
      const card = this.#cards[row]!;
      if (card === row) cards.push(row);
      else if (this.#isCard(card)) {
        if (this.#toolCounts[card] === 0 && this.#masks[card] === 0) cards.push(card);
        this.#toolCounts[card] = this.#toolCounts[card]! + 1;
      }
    }
    return cards;
  }
}

interface IndexState {
  readonly lists: TermLists;
  readonly pool: PostingPool<Uint8Array>;
  readonly cards: Uint32Array;
  readonly size: number;
}

function emptyState(): IndexState {
  return { lists: new TermLists(), pool: new PostingPool(new Uint8Array(0)), cards: new Uint32Array(0), size: 0 };
}

function outOfSync(reason: string): DowserError {
  return new DowserError('INTERNAL', `The boost index is out of sync with the store: ${reason}.`);
}
