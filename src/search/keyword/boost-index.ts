import { DowserError } from '../../model/errors.ts';
import { type Explanation, leaf, sum } from '../../model/explanation.ts';
import { FIELDS, type Field, type UnitKind } from '../../model/unit.ts';
import { BestRows } from '../best-rows.ts';
import type { Bitset } from '../filter/bitset.ts';
import type { CompareRows, RowScores } from '../row-scores.ts';
import type { AnalyzedUnit } from '../text/analyzed-unit.ts';
import { detachString } from '../text/detach-string.ts';
import {
  bytesPart,
  expectPart,
  expectPostings,
  headerPart,
  type IndexParts,
  linesPart,
  uint32Part,
} from './index-parts.ts';
import { grown, PostingPool } from './posting-pool.ts';
import { SubstringIndex } from './substring-index.ts';
import { BOOST } from './text-boost.ts';

export type RawWords = Pick<AnalyzedUnit, 'words' | 'wordFields'>;

export interface BoostRow {
  /** The row of the entity's card; the row itself when it is the card. */
  readonly cardRow: number;
  readonly kind: UnitKind;
}

export interface BoostSearchOptions {
  /** Card rows that may be returned, applied before the limit; null for all. */
  readonly eligible: Bitset | null;
  readonly limit: number;
  /** Orders rows of equal score. */
  readonly compareRows: CompareRows;
}

const FORMAT = 1;
const FREE = 0xffffffff;

const bitOf = (field: Field): number => 1 << FIELDS.indexOf(field);
const CARD_FIELDS = (['path', 'name', 'description', 'tags', 'metadata'] as const).map((field) => ({
  field,
  bit: bitOf(field),
}));
const CARD_BITS = CARD_FIELDS.reduce((bits, { bit }) => bits | bit, 0);
const TOOL_BITS = bitOf('name') | bitOf('description');

/** The boost of a card by the fields that match, for each of the 256 sets of fields. */
const FIELD_BOOST = Float64Array.from({ length: 2 ** FIELDS.length }, (_, mask) =>
  CARD_FIELDS.reduce((total, { field, bit }) => total + ((mask & bit) === 0 ? 0 : BOOST[field]), 0),
);

/**
 * The registry's text boost (see `textBoost`) from an index: equal to reading every entity, without reading them.
 *
 * Cards are scored; tool rows add to the card of their entity. A token is inside a field exactly when it is inside one
 * of the field's words, so the index keeps for each distinct word the rows and fields that have it, and finds the words
 * that contain a token by their letters. Rows of other kinds are accepted and left out. Tokens are those of
 * `boostTokens`; without any, nothing matches.
 */
export class BoostIndex {
  readonly #lists: Map<string, number>;
  /** The word of each list. */
  readonly #words: (string | undefined)[];
  readonly #substrings: SubstringIndex;
  readonly #pool: PostingPool<Uint8Array>;
  /** For each row the card it counts for: itself for a card, FREE for a row that is not in the index. */
  #cards: Uint32Array;
  #size: number;
  #masks = new Uint8Array(0);
  #toolCounts = new Uint32Array(0);

  /** Empty. The argument is for `fromParts`. */
  constructor(state: IndexState = emptyState()) {
    this.#words = state.words;
    this.#lists = new Map();
    state.words.forEach((word, list) => {
      if (word !== undefined) this.#lists.set(word, list);
    });
    this.#substrings = new SubstringIndex(state.words);
    this.#pool = state.pool;
    this.#cards = state.cards;
    this.#size = state.size;
  }

  /** How many cards and tools are in the index. */
  get size(): number {
    return this.#size;
  }

  /** The row must be free. The card of a tool may be added before or after it. */
  add(row: number, unit: RawWords, { cardRow, kind }: BoostRow): void {
    if (kind !== 'card' && kind !== 'tool') return;
    if (this.#isTaken(row)) throw outOfStep(`row ${row} is taken`);
    const bits = kind === 'card' ? CARD_BITS : TOOL_BITS;
    unit.words.forEach((word, i) => {
      const fields = unit.wordFields[i]! & bits;
      if (fields !== 0) this.#pool.insert(this.#listFor(word), row, fields);
    });
    if (row >= this.#cards.length) {
      const before = this.#cards.length;
      this.#cards = grown(this.#cards, row + 1).fill(FREE, before);
    }
    this.#cards[row] = cardRow;
    this.#size++;
  }

  /** `unit` is what was added under this row. A row that is not in the index, as those of other kinds, is no error. */
  remove(row: number, unit: RawWords): void {
    if (!this.#isTaken(row)) return;
    const bits = this.#cards[row] === row ? CARD_BITS : TOOL_BITS;
    unit.words.forEach((word, i) => {
      if ((unit.wordFields[i]! & bits) === 0) return;
      const list = this.#lists.get(word);
      if (list === undefined || !this.#pool.remove(list, row)) throw outOfStep(`row ${row} has no word '${word}'`);
      if (this.#pool.length(list) > 0) return;
      this.#pool.drop(list);
      this.#lists.delete(word);
      this.#words[list] = undefined;
    });
    this.#cards[row] = FREE;
    this.#size--;
  }

  /** The best `limit` eligible cards with a boost above 0. */
  search(tokens: readonly string[], { eligible, limit, compareRows }: BoostSearchOptions): RowScores {
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

  /** The boosts that `search` gives these rows, in the order asked; 0 where nothing matches. */
  scoreRows(tokens: readonly string[], rows: readonly number[]): number[] {
    return this.#withMatches(tokens, () => rows.map((row) => (this.#isCard(row) ? this.#boostOf(row) : 0)));
  }

  /** Which fields and how many tools make up a card's boost. */
  explain(tokens: readonly string[], row: number): Explanation {
    return this.#withMatches(tokens, () => {
      const mask = this.#isCard(row) ? this.#masks[row]! : 0;
      const parts = CARD_FIELDS.filter(({ bit }) => (mask & bit) !== 0).map(({ field }) => leaf(field, BOOST[field]));
      const tools = this.#isCard(row) ? this.#toolCounts[row]! : 0;
      if (tools > 0) parts.push(leaf('tools', tools * BOOST.tool, { matching_tools: tools, each: BOOST.tool }));
      return sum('boost', parts, { tokens: tokens.join(' ') });
    });
  }

  /** A snapshot for disk. The arrays are copies: the index can go on changing. */
  toParts(): IndexParts {
    const words = [...this.#lists.keys()].sort();
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

  /** Takes the arrays over. Throws STORE_CORRUPT when they do not fit together. */
  static fromParts(parts: IndexParts): BoostIndex {
    const { format, size = 0 } = headerPart(parts);
    expectPart(format === FORMAT, `it has format ${format}, not ${FORMAT}`);
    const words = linesPart(parts, 'words');
    const lengths = uint32Part(parts, 'frequencies');
    const rows = uint32Part(parts, 'postingRows');
    const payload = bytesPart(parts, 'postingFields');
    expectPostings(words.length, lengths, rows, payload);
    const cards = uint32Part(parts, 'cards');
    return new BoostIndex({ words, pool: PostingPool.from({ lengths, rows, payload }), cards, size });
  }

  #isTaken(row: number): boolean {
    return (this.#cards[row] ?? FREE) !== FREE;
  }

  #isCard(row: number): boolean {
    return this.#cards[row] === row;
  }

  #listFor(word: string): number {
    let list = this.#lists.get(word);
    if (list === undefined) {
      const own = detachString(word);
      list = this.#pool.create();
      this.#lists.set(own, list);
      this.#words[list] = own;
      this.#substrings.add(list);
    }
    return list;
  }

  #boostOf(card: number): number {
    return FIELD_BOOST[this.#masks[card]!]! + BOOST.tool * this.#toolCounts[card]!;
  }

  /** Marks what the tokens match, calls back with the cards that have any of it, and wipes the marks. */
  #withMatches<T>(tokens: readonly string[], use: (cards: readonly number[]) => T): T {
    if (this.#masks.length < this.#cards.length) {
      this.#masks = new Uint8Array(this.#cards.length);
      this.#toolCounts = new Uint32Array(this.#cards.length);
    }
    const met = this.#markRows(tokens);
    const cards = this.#countTools(met);
    try {
      return use(cards);
    } finally {
      for (const row of met) this.#masks[row] = 0;
      for (const row of cards) this.#toolCounts[row] = 0;
    }
  }

  #markRows(tokens: readonly string[]): readonly number[] {
    const met: number[] = [];
    const masks = this.#masks;
    const { rows, payload } = this.#pool;
    const lists = new Set<number>();
    for (const token of new Set(tokens)) for (const list of this.#substrings.containing(token)) lists.add(list);
    for (const list of lists) {
      const from = this.#pool.start(list);
      const to = from + this.#pool.length(list);
      for (let at = from; at < to; at++) {
        const row = rows[at]!;
        const mask = masks[row]!;
        if (mask === 0) met.push(row);
        masks[row] = mask | payload[at]!;
      }
    }
    return met;
  }

  /** Every matching tool counts for its card, which may match by nothing else. */
  #countTools(met: readonly number[]): readonly number[] {
    const cards: number[] = [];
    for (const row of met) {
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
  readonly words: (string | undefined)[];
  readonly pool: PostingPool<Uint8Array>;
  readonly cards: Uint32Array;
  readonly size: number;
}

function emptyState(): IndexState {
  return { words: [], pool: new PostingPool(new Uint8Array(0)), cards: new Uint32Array(0), size: 0 };
}

function outOfStep(what: string): DowserError {
  return new DowserError('INTERNAL', `The boost index is out of step with the store: ${what}.`);
}
