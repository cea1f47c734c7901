import type { BenchQuery, Corpus } from '../corpus/corpus.ts';

/** What every leg is asked for before fusion, and what the fused answer has. The same for everybody. */
export const CANDIDATES = 100;
export const RESULTS = 10;

/** One result of a hybrid search. */
export interface Found {
  readonly id: string;
  /** The unit's name and text, read from the contender's own store. */
  readonly text: string;
}

/** Best first. */
export type Answer = readonly Found[] | Promise<readonly Found[]>;

/** Ids of units, best first. */
export type LegAnswer = readonly string[] | Promise<readonly string[]>;

/**
 * One search library, used as its own documents tell its users to. None of its answers has a unit that is not live: it
 * filters before it limits, so that a full list stays full.
 */
export interface Contender {
  readonly version: string;
  /** What was used of it, in a sentence or two, for the reader of the results. */
  readonly how: string;
  /** Indexes everything and leaves it ready to be searched; a durable contender leaves it in `folder`. */
  build(corpus: Corpus, folder: string): Promise<void>;
  /** Makes ready what `build` left; for those that are not durable, only takes the hints. */
  open(folder: string, hints: SearchHints): Promise<void>;
  /** Both legs, `CANDIDATES` each, joined to `RESULTS`, with their texts. */
  hybrid(query: BenchQuery): Answer;
  /** `CANDIDATES` by keyword. */
  keyword(query: BenchQuery): LegAnswer;
  /** `CANDIDATES` by vector. */
  vector(query: BenchQuery): LegAnswer;
  close(): Promise<void>;
}

/** What somebody who knows the data would set. */
export interface SearchHints {
  /** The cosine that about `CANDIDATES` live units reach: for libraries that cut by similarity and not by count. */
  readonly candidateCosine: number;
  /** Every query that will be asked: for a stand-in of the embedding model. */
  readonly queries: readonly BenchQuery[];
}
