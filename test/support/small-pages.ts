import { BoostIndex } from '../../src/search/keyword/boost/boost-index.ts';
import { KeywordIndex } from '../../src/search/keyword/keyword-index.ts';
import { emptyState } from '../../src/search/keyword/keyword-state.ts';
import { PostingPages } from '../../src/search/keyword/postings/posting-pages.ts';
import { PostingPool } from '../../src/search/keyword/postings/posting-pool.ts';
import { TermLists } from '../../src/search/keyword/terms/term-lists.ts';

/** With pages so small that the lists of a test are in many of them. */
const PAGE_POSTINGS = 16;

export function smallPages<P extends Uint32Array | Uint8Array>(empty: P): PostingPool<P> {
  return new PostingPool(empty, new PostingPages(new Uint32Array(0), empty, 0, PAGE_POSTINGS));
}

export const keywordIndex = (): KeywordIndex => new KeywordIndex(emptyState(smallPages(new Uint32Array(0))));

export function boostIndex(): BoostIndex {
  return new BoostIndex({
    lists: new TermLists(),
    pool: smallPages(new Uint8Array(0)),
    cards: new Uint32Array(0),
    size: 0,
  });
}
