import type { ScopedRegistry } from '../../registry/contract/registry.ts';

/** How often a memory was found, and when first and last. */
export interface Recall {
  readonly count: number;
  readonly first: string;
  readonly last: string;
}

const KEY = 'recall';
const FLUSH_MS = 30_000;

/** Counts recalls in memory and stores them from time to time: a search never waits for a write. */
export class RecallLog {
  readonly #registry: ScopedRegistry;
  readonly #pending = new Map<string, Recall>();
  #timer: NodeJS.Timeout | null = null;
  #stored: Promise<void> = Promise.resolve();

  constructor(registry: ScopedRegistry) {
    this.#registry = registry;
  }

  note(paths: readonly string[], now: Date): void {
    const last = now.toISOString();
    for (const path of paths) {
      const { count, first } = this.#pending.get(path) ?? { count: 0, first: last };
      this.#pending.set(path, { count: count + 1, first, last });
    }
    if (this.#timer !== null || this.#pending.size === 0) return;
    this.#timer = setTimeout(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Stores what was counted. Never fails: where nothing can be written, counts are lost and no answer is. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const counted = new Map(this.#pending);
    this.#pending.clear();
    if (counted.size === 0) return this.#stored;
    this.#stored = this.#stored.then(() => this.#store(counted)).catch(() => undefined);
    return this.#stored;
  }

  /** By path, with what is not stored yet. */
  async read(): Promise<ReadonlyMap<string, Recall>> {
    const known = new Map((await this.#registry.annotated('memory', KEY)) as ReadonlyMap<string, Recall>);
    for (const [path, recall] of this.#pending) known.set(path, added(known.get(path), recall));
    return known;
  }

  async #store(counted: ReadonlyMap<string, Recall>): Promise<void> {
    const known = (await this.#registry.annotated('memory', KEY)) as ReadonlyMap<string, Recall>;
    const values = new Map([...counted].map(([path, recall]) => [path, added(known.get(path), recall)]));
    await this.#registry.annotate('memory', KEY, values);
  }
}

function added(known: Recall | undefined, { count, first, last }: Recall): Recall {
  return known === undefined ? { count, first, last } : { count: known.count + count, first: known.first, last };
}
