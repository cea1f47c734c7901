import type { Catalog } from './catalog.ts';

/** The shortest time between two reads of a changed catalog. Longer for a large one: reads may take 1/20 of the time. */
const MIN_AGE_MS = 2000;
const REST_PER_READ = 20;
/** A longer read is not waited for. Clients cache the text, so a new one is worth a short wait. */
const MAX_WAIT_MS = 300;

/** A text that is read from the whole catalog, and again when the catalog has changed. All connections share it. */
export class CatalogReading {
  readonly #catalog: Pick<Catalog, 'health'>;
  readonly #readText: (entities: number) => Promise<string>;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  #text = '';
  #key = '';
  #readAt = Number.NEGATIVE_INFINITY;
  #restMs = MIN_AGE_MS;
  #reading: Promise<string> | null = null;

  /** `maxAgeMs`: most changes are visible in the counts of the catalog. Others show after this time at the latest. */
  constructor(
    catalog: Pick<Catalog, 'health'>,
    readText: (entities: number) => Promise<string>,
    maxAgeMs: number,
    now: () => number = () => performance.now(),
  ) {
    this.#catalog = catalog;
    this.#readText = readText;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
  }

  /** Waits for the first read and for short ones. A long read runs in the background, and the previous text is returned. */
  async current(): Promise<string> {
    const age = this.#now() - this.#readAt;
    if (this.#reading !== null || age < this.#restMs) return this.#text === '' ? (this.#reading ?? '') : this.#text;
    const { index } = await this.#catalog.health();
    const key = JSON.stringify([index.entities, index.units, index.by_type]);
    if (key === this.#key && age < this.#maxAgeMs) return this.#text;
    const reading = this.#read(key, index.entities);
    if (this.#text === '') return reading;
    // The next call tries again; this one has a text to return.
    const text = reading.catch(() => this.#text);
    return this.#restMs <= MAX_WAIT_MS * REST_PER_READ ? text : this.#text;
  }

  #read(key: string, entities: number): Promise<string> {
    if (this.#reading !== null) return this.#reading;
    const started = this.#now();
    this.#reading = this.#readText(entities)
      .then((text) => {
        this.#key = key;
        this.#text = text;
        this.#readAt = this.#now();
        this.#restMs = Math.max(MIN_AGE_MS, (this.#readAt - started) * REST_PER_READ);
        return text;
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }
}
