import type { Result, Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';

const MAX_KNOWN = 1000;
const MAX_PATH_CHARS = 200;

/**
 * Keeps the handlers of paths that were asked for before. Some hundred routes, many of which end in a path of any length, are too much
 * for the fast router of Hono, and the one that takes them needs a tenth of the time of a search.
 */
export class RememberingRouter<T> implements Router<T> {
  readonly name = 'RememberingRouter';
  readonly #router = new TrieRouter<T>();
  readonly #known = new Map<string, Result<T>>();

  add(method: string, path: string, handler: T): void {
    this.#known.clear();
    this.#router.add(method, path, handler);
  }

  match(method: string, path: string): Result<T> {
    const key = `${method} ${path}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#router.match(method, path);
    if (path.length > MAX_PATH_CHARS) return found;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }
}
