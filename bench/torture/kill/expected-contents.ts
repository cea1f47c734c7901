import type { Contents } from '../store-contents.ts';

/** Null: absent. */
type State = string | null;

/** A write that was sent. Its changes are made together or not at all. */
export interface Attempt {
  acknowledge(): void;
  /** The server said no: nothing of it may be stored. */
  refuse(): void;
}

interface History {
  /** In the order they were sent. The first is the state that was last seen. */
  readonly states: State[];
  /** The last state that was acknowledged. */
  acknowledged: number;
}

/** A moment of the histories. */
export type Mark = ReadonlyMap<string, number>;

/**
 * What a store must have. Each key is written by one writer, which waits for its answers: after a crash a key has its last
 * acknowledged state, or that of the one write that was under way.
 */
export class ExpectedContents {
  readonly #histories = new Map<string, History>();
  readonly #open = new Set<ReadonlyMap<string, State>>();

  /** The last acknowledged state. */
  stateOf(key: string): State {
    const history = this.#histories.get(key);
    return history?.states[history.acknowledged] ?? null;
  }

  keys(): readonly string[] {
    return [...this.#histories.keys()].filter((key) => this.stateOf(key) !== null);
  }

  begin(changes: ReadonlyMap<string, State>): Attempt {
    this.#open.add(changes);
    for (const [key, state] of changes) this.#historyOf(key).states.push(state);
    return {
      acknowledge: () => {
        this.#open.delete(changes);
        for (const key of changes.keys()) {
          const history = this.#historyOf(key);
          history.acknowledged = history.states.length - 1;
        }
      },
      refuse: () => {
        this.#open.delete(changes);
        for (const key of changes.keys()) this.#historyOf(key).states.pop();
      },
    };
  }

  mark(): Mark {
    return new Map([...this.#histories].map(([key, { acknowledged }]) => [key, acknowledged]));
  }

  /** What is wrong with the contents: they must have what was acknowledged at the mark, and nothing that was never sent. */
  problems(contents: Contents, mark: Mark): readonly string[] {
    const found: string[] = [];
    for (const key of contents.keys()) if (!this.#histories.has(key)) found.push(`${key} was never stored`);
    for (const [key, { states }] of this.#histories) {
      const state = contents.get(key) ?? null;
      const allowed = states.slice(mark.get(key) ?? 0);
      if (!allowed.includes(state)) found.push(`${key} is ${state}, but must be ${[...new Set(allowed)].join(' or ')}`);
    }
    for (const changes of this.#open) if (this.#isHalf(changes, contents, mark)) found.push(halfWrite(changes));
    return found;
  }

  /** Takes the contents as the new beginning. */
  settle(contents: Contents): void {
    this.#open.clear();
    for (const key of [...this.#histories.keys()]) {
      const state = contents.get(key) ?? null;
      this.#histories.set(key, { states: [state], acknowledged: 0 });
    }
  }

  #historyOf(key: string): History {
    let history = this.#histories.get(key);
    if (history === undefined) {
      history = { states: [null], acknowledged: 0 };
      this.#histories.set(key, history);
    }
    return history;
  }

  /** Only keys whose state tells: a change to the same state says nothing. */
  #isHalf(changes: ReadonlyMap<string, State>, contents: Contents, mark: Mark): boolean {
    const made = new Set<boolean>();
    for (const [key, state] of changes) {
      const before = this.#historyOf(key).states.slice(mark.get(key) ?? 0, -1);
      if (!before.includes(state)) made.add((contents.get(key) ?? null) === state);
    }
    return made.size > 1;
  }
}

function halfWrite(changes: ReadonlyMap<string, State>): string {
  return `only part of one write is stored: ${[...changes.keys()].slice(0, 5).join(', ')}`;
}
