import type { Engine } from '../../engines/engine.ts';
import type { SearchResponse } from '../../model/answer/result.ts';
import type { DowserError } from '../../model/errors/errors.ts';
import type { SearchRequestInput } from '../../model/query/query.ts';
import { getPreset } from '../../search/plan/presets.ts';
import type { HeldSearch, TimedSearch } from '../contract/search-steps.ts';
import type { ServedModel } from '../vectors/served-model.ts';
import type { SearchParts } from './search.ts';

interface HeldSearchParts {
  readonly engine: Engine & { readonly damage: DowserError | null };
  readonly model: Pick<ServedModel, 'serving'> | null;
  readonly searching: Pick<SearchParts, 'denied' | 'onSearched'>;
}

type OnSearched = SearchParts['onSearched'];

/**
 * Which answers of one caller can be sent again, and for how long: until anything is written, rated, noted or embedded. Not an
 * answer that lacks something because a model failed or vectors are missing, and not one that depends on the time or on edges.
 */
export class HeldSearches {
  readonly #parts: HeldSearchParts;
  readonly #held = new WeakMap<SearchResponse, HeldSearch>();

  constructor(parts: HeldSearchParts) {
    this.#parts = parts;
  }

  of(answer: SearchResponse): HeldSearch | null {
    return this.#held.get(answer) ?? null;
  }

  /** Runs one search. `ask` calls back when it is answered. */
  async note(
    request: SearchRequestInput,
    ask: (onSearched: OnSearched) => Promise<SearchResponse>,
  ): Promise<SearchResponse> {
    // Before anything is read: a write in between makes the answer out of date.
    const state = await this.#state();
    let timed: TimedSearch | undefined;
    const answer = await ask((search) => {
      // Only what is counted: the lines hold everything that was retrieved.
      const { preset, mode, text, size, outcome, isComplete } = search;
      timed = { preset, mode, text, size, outcome, isComplete, steps: [], scoreLines: () => [] };
      this.#parts.searching.onSearched(search);
    });
    if (state !== null && timed?.isComplete === true && isTimeless(request, answer)) {
      this.#held.set(answer, this.#heldSearch(state, timed));
    }
    return answer;
  }

  #heldSearch(state: readonly unknown[], search: TimedSearch): HeldSearch {
    return {
      isCurrent: async () => {
        const now = await this.#state();
        return now?.every((part, at) => part === state[at]) === true;
      },
      repeat: () => {
        const at = performance.now();
        this.#parts.searching.onSearched({ ...search, steps: [{ stage: 'answer', from: at, until: at }] });
      },
    };
  }

  /** Everything that an answer depends on besides the request, the caller and the settings. Null: that cannot be compared. */
  async #state(): Promise<readonly unknown[] | null> {
    const { engine, model, searching } = this.#parts;
    const { index, store, replica, vectorServer, damage } = engine;
    // A node may have to refuse a search, and a server of vectors may have others.
    if (index.version === null || replica !== null || vectorServer !== null || damage !== null) return null;
    const denied = await searching.denied.read();
    return [index.version, store.changes(null).revision, denied, model?.serving];
  }
}

function isTimeless({ memory, document, with_prerequisites, why_not }: SearchRequestInput, { preset }: SearchResponse) {
  const asksMore = with_prerequisites === true || why_not !== undefined;
  return getPreset(preset).graph === 'none' && memory === undefined && document === undefined && !asksMore;
}
