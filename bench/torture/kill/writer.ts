import { contentHash } from '../../../src/registry/write/memory-hash.ts';
import { ask } from '../ask.ts';
import type { Random } from '../random.ts';
import { EDGE_TYPE, edgeKey, entityKey, memoryKey, pathInUrl, RATED, ratingKey } from '../store-contents.ts';
import type { ExpectedContents } from './expected-contents.ts';

/** A request, and what it changes if the server takes it. */
interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly changes: readonly (readonly [key: string, state: string | null])[];
  /** The server must refuse it. */
  readonly isBad?: boolean;
}

const BATCH = 12;

/** A server that was told to stop takes no more writes, and says so. */
const isStopping = (status: number, answer: unknown): boolean =>
  status === 503 && (answer as { readonly error?: { readonly code?: string } }).error?.code === 'SERVER_STOPPING';

/** Sends one write after another, and notes what must be stored. Its keys are its own. */
export class Writer {
  readonly #name: string;
  readonly #expected: ExpectedContents;
  readonly #random: Random;
  #count = 0;
  acknowledged = 0;

  constructor(name: string, expected: ExpectedContents, random: Random) {
    this.#name = name;
    this.#expected = expected;
    this.#random = random;
  }

  /** Makes so many writes, or fewer if the server is gone. Throws if the server answers what it must not. */
  async run(url: string, writes = Number.POSITIVE_INFINITY): Promise<void> {
    for (let n = 0; n < writes; n++) {
      const write = this.#next();
      const attempt = this.#expected.begin(new Map(write.changes));
      let status: number;
      let answer: unknown;
      try {
        ({ status, body: answer } = await ask(url, write.method, write.path, write.body));
      } catch {
        // The connection is gone: whether it was stored is seen after the next start.
        return;
      }
      if (isStopping(status, answer)) {
        attempt.refuse();
        return;
      }
      const isTaken = status < 300;
      if (isTaken === (write.isBad ?? false) || status >= 500)
        throw new Error(`${write.method} ${write.path}: status ${status}, ${JSON.stringify(answer)}`);
      if (isTaken) attempt.acknowledge();
      else attempt.refuse();
      this.acknowledged++;
    }
  }

  #next(): Write {
    const rated = `${RATED}${this.#name}`;
    if (this.#expected.stateOf(entityKey('tool', rated)) === null) return this.#put(rated);
    const kind = this.#random.int(10);
    if (kind <= 1) return this.#batch(false);
    if (kind === 2) return this.#batch(true);
    if (kind === 3) return this.#delete() ?? this.#put(this.#newPath());
    if (kind === 4) return this.#rate(rated);
    if (kind === 5) return this.#edge(rated);
    if (kind <= 7) return this.#memory();
    return this.#put(this.#random.chance(0.4) ? (this.#ownPath() ?? this.#newPath()) : this.#newPath());
  }

  #newPath(): string {
    return `/${this.#name}-${this.#random.int(1e9).toString(36)}-${this.#count++}`;
  }

  /** A tool of this writer that is stored. */
  #ownPath(): string | undefined {
    const own = this.#expected.keys().filter((key) => key.startsWith(`tool:/${this.#name}-`));
    return own.length === 0 ? undefined : this.#random.pick(own).slice('tool:'.length);
  }

  /** Has a word that no other text has. */
  #text(): string {
    return `Keeps lamp ${this.#name}${this.#random.int(1e9).toString(36)}q alight.`;
  }

  #put(path: string): Write {
    const description = this.#text();
    const body = { type: 'tool', path, name: `tool ${path.slice(1)}`, description };
    const wait = this.#random.chance(0.5) ? '' : '?vectors=later';
    return { method: 'POST', path: `/api/entities${wait}`, body, changes: [[entityKey('tool', path), description]] };
  }

  #batch(isBad: boolean): Write {
    const entities = Array.from({ length: BATCH }, () => {
      const path = this.#newPath();
      return { type: 'tool', path, name: path.slice(1), description: this.#text() };
    });
    const body = { entities: isBad ? [...entities, { type: 'tool', path: '/nameless' }] : entities };
    const changes = entities.map(({ path, description }) => [entityKey('tool', path), description] as const);
    return { method: 'POST', path: '/api/entities:batch', body, changes, isBad };
  }

  #delete(): Write | undefined {
    const path = this.#ownPath();
    if (path === undefined) return undefined;
    const url = `/api/entities/${pathInUrl('tool', path)}`;
    return { method: 'DELETE', path: url, changes: [[entityKey('tool', path), null]] };
  }

  #rate(path: string): Write {
    const rating = 1 + this.#random.int(5);
    const url = `/api/entities/${pathInUrl('tool', path)}/rate`;
    return { method: 'POST', path: url, body: { rating }, changes: [[ratingKey(path), String(rating)]] };
  }

  #edge(path: string): Write {
    const weight = 1 + this.#random.int(1000);
    const other = this.#expected.keys().find((key) => key.startsWith(`tool:${RATED}`) && key !== `tool:${path}`);
    if (other === undefined) return this.#rate(path);
    const target = other.slice('tool:'.length);
    const body = { edges: [{ source: path, target, type: EDGE_TYPE, weight }] };
    return { method: 'POST', path: '/api/graph/edges', body, changes: [[edgeKey(path, target), String(weight)]] };
  }

  /** Half of them supersede the last one: two memories change together. */
  #memory(): Write {
    const beginning = `memory:note of ${this.#name}:`;
    const content = `note of ${this.#name}: ${this.#text()}`;
    const current = this.#expected
      .keys()
      .find((key) => key.startsWith(beginning) && this.#expected.stateOf(key) === 'active');
    const changes: (readonly [string, string])[] = [[memoryKey(content), 'active']];
    if (current === undefined || this.#random.chance(0.5))
      return { method: 'POST', path: '/api/memory:store', body: { content }, changes };
    const supersedes = contentHash(current.slice('memory:'.length));
    changes.push([current, 'deprecated']);
    return { method: 'POST', path: '/api/memory:store', body: { content, supersedes }, changes };
  }
}
