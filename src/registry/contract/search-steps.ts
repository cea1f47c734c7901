import type { SearchResponse } from '../../model/answer/result.ts';

/** The stages of a search, in their order. A search may embed and retrieve twice. */
export const SEARCH_STAGES = ['plan', 'embed', 'retrieve', 'graph', 'rank', 'answer'] as const;
export type SearchStage = (typeof SEARCH_STAGES)[number];

export interface SearchStep {
  readonly stage: SearchStage;
  /** In milliseconds of `performance.now`. */
  readonly from: number;
  readonly until: number;
}

/** What metrics, traces and logs know about an answered search. */
export interface TimedSearch {
  readonly preset: string;
  readonly mode: SearchResponse['search_mode'];
  /** At least one, without gaps. */
  readonly steps: readonly SearchStep[];
  /** The text of the query. Neither metrics, traces nor logs may have it: see the setting `log_query_text`. */
  readonly text: string;
  /** How many results were asked for. */
  readonly size: number;
  /** Whether anything fits, and whether the best result is one to rely on. */
  readonly outcome: 'found' | 'no_match' | 'low_confidence';
  /** Whether no vector was missing, and no model failed that could answer the next time. */
  readonly isComplete: boolean;
  /** See `score-lines.ts`. Computed on demand. */
  readonly scoreLines: () => readonly string[];
}

/** For those who keep the answer of a search. */
export interface HeldSearch {
  /** Whether the same search of the same caller would be answered in the same way now. */
  isCurrent(): Promise<boolean>;
  /** Counts the answer as that of another search. */
  repeat(): void;
}

/** Takes the times of one search. */
export class SearchSteps {
  readonly #list: SearchStep[] = [];
  #from = performance.now();

  get list(): readonly SearchStep[] {
    return this.#list;
  }

  /** Everything since the step before was of this stage. */
  end(stage: SearchStage): void {
    const until = performance.now();
    this.#list.push({ stage, from: this.#from, until });
    this.#from = until;
  }
}
