import { FIELDS } from '../../model/entity-parts/unit.ts';
import { Bitset } from '../filter/bitset.ts';
import { ANALYZER_VERSION } from '../text/analyzer.ts';
import { FieldLengths } from './field-lengths.ts';
import { expectPart, headerPart, type IndexParts, postingsPart, uint32Part, wordsPart } from './index-parts.ts';
import { PostingPool } from './postings/posting-pool.ts';
import { TermDictionary } from './terms/term-dictionary.ts';
import { TermLists } from './terms/term-lists.ts';

/** The data of a keyword index. Everything else is derived from it. */
export interface KeywordState {
  readonly terms: TermDictionary;
  readonly pool: PostingPool<Uint32Array>;
  readonly lengths: FieldLengths;
  readonly rows: Bitset;
  /** The number of units. */
  size: number;
}

const FORMAT = 1;

export function emptyState(pool = new PostingPool<Uint32Array>(new Uint32Array(0))): KeywordState {
  return { terms: new TermDictionary(pool), pool, lengths: new FieldLengths(), rows: new Bitset(), size: 0 };
}

/** A snapshot for disk. The arrays are copies. */
export function toIndexParts({ terms, pool, lengths, rows, size }: KeywordState): IndexParts {
  const sorted = terms.sorted();
  const postings = pool.compact(sorted.map((term) => terms.listOf(term)!));
  return {
    header: JSON.stringify({ format: FORMAT, analyzer: ANALYZER_VERSION, size }),
    terms: sorted.join('\n'),
    frequencies: postings.lengths,
    postingRows: postings.rows,
    postingCounts: postings.payload,
    fieldLengths: lengths.values.slice(),
    rows: rows.words.slice(),
  };
}

/** Uses the arrays without copying. Throws STORE_CORRUPT if they are inconsistent or from another analyzer version. */
export function fromIndexParts(parts: IndexParts): KeywordState {
  const { analyzer, size = 0 } = headerPart(parts, FORMAT);
  expectPart(analyzer === ANALYZER_VERSION, `its analyzer is ${analyzer}, not ${ANALYZER_VERSION}`);
  const terms = wordsPart(parts, 'terms');
  const pool = postingsPart(parts, terms.length, uint32Part(parts, 'postingCounts'));
  const words = uint32Part(parts, 'rows');
  const present = new Bitset(words.length * 32);
  present.words.set(words);
  expectPart(present.count() === size, `${present.count()} rows for ${size} units`);
  const fieldLengths = uint32Part(parts, 'fieldLengths');
  const isWhole = fieldLengths.length % FIELDS.length === 0 && fieldLengths.length >= size * FIELDS.length;
  expectPart(isWhole, `${fieldLengths.length} field lengths for ${size} units`);
  return {
    terms: new TermDictionary(pool, new TermLists(terms)),
    pool,
    lengths: new FieldLengths(fieldLengths),
    rows: present,
    size,
  };
}
