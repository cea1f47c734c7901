import type { Bitset } from '../filter/bitset.ts';
import { KeywordReader } from './keyword-reader.ts';
import type { KeywordState } from './keyword-state.ts';
import { PostingPool } from './posting-pool.ts';
import { ViewTerms } from './view-terms.ts';

/**
 * Some rows of a keyword index, read as if there were no others. Posting lists are copied when a query first needs them,
 * without the other rows. Valid until the next write to the index.
 */
export class KeywordView extends KeywordReader {
  constructor({ terms, pool, lengths, rows: all }: KeywordState, rows: Bitset) {
    const own = new PostingPool(new Uint32Array(0));
    const size = rows.countWith(all);
    super({ terms: new ViewTerms(terms, pool, own, rows), pool: own, lengths: lengths.within(rows, all, size), size });
  }
}
