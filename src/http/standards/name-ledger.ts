import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import type { ListedServer } from './directory.ts';

/** A server that was listed and is no longer, whatever the reason: deleted, renamed, disabled, made private. */
export interface DelistedServer {
  readonly name: string;
  readonly version: string;
  /** ISO 8601: when this was noticed. */
  readonly at: string;
}

/** The oldest are forgotten first. */
const MAX_DELISTED = 10_000;

interface Known {
  readonly version: string;
  /** Null while it is listed. */
  readonly at: string | null;
}

export interface LedgerOptions {
  /** Where the names are kept between runs. Default: in memory only. */
  readonly file?: string | undefined;
  readonly now?: () => string;
  /** Called when the file cannot be read or written. The ledger goes on in memory. */
  readonly onError?: (error: unknown) => void;
}

/**
 * The names that clients may have seen, so that a client that copies the list learns what to remove. It compares what is
 * listed with what was listed before, so deleting needs no extra step. Names that were never listed leave no trace.
 */
export class NameLedger {
  readonly #options: LedgerOptions;
  #known: Map<string, Known> | undefined;

  constructor(options: LedgerOptions = {}) {
    this.#options = options;
  }

  /** Takes the servers that are listed now. Returns those that no longer are, by name. Calls must not overlap. */
  async note(servers: readonly ListedServer[]): Promise<readonly DelistedServer[]> {
    this.#known ??= await this.#load();
    const known = this.#known;
    const listed = new Map(servers.map(({ name, version }) => [name, version]));
    const changed = new Map<string, Known>();
    const now = (this.#options.now ?? (() => new Date().toISOString()))();
    for (const [name, { version, at }] of known) {
      if (at === null && !listed.has(name)) changed.set(name, { version, at: now });
    }
    for (const [name, version] of listed) {
      const before = known.get(name);
      if (before?.at !== null || before.version !== version) changed.set(name, { version, at: null });
    }
    for (const [name, entry] of changed) {
      known.delete(name);
      known.set(name, entry);
    }
    await this.#save(changed);
    return delistedOf(known).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #load(): Promise<Map<string, Known>> {
    const { file } = this.#options;
    const known = new Map<string, Known>();
    if (file === undefined) return known;
    try {
      for (const line of (await readFile(file, 'utf8')).split('\n')) readLine(line, known);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#options.onError?.(error);
      return known;
    }
    const delisted = delistedOf(known);
    for (const { name } of delisted.slice(0, Math.max(0, delisted.length - MAX_DELISTED))) known.delete(name);
    await this.#write(async () => {
      await writeFile(`${file}.new`, textOf(known), { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
    return known;
  }

  async #save(changed: ReadonlyMap<string, Known>): Promise<void> {
    const { file } = this.#options;
    if (file === undefined || changed.size === 0) return;
    await this.#write(() => appendFile(file, textOf(changed), { mode: 0o600 }));
  }

  async #write(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }
}

/** In the order in which they were noticed. */
function delistedOf(known: ReadonlyMap<string, Known>): DelistedServer[] {
  const delisted: DelistedServer[] = [];
  for (const [name, { version, at }] of known) if (at !== null) delisted.push({ name, version, at });
  return delisted;
}

const textOf = (entries: ReadonlyMap<string, Known>) =>
  [...entries].map(([name, { version, at }]) => `${JSON.stringify([name, version, at])}\n`).join('');

/** A later line of a name replaces an earlier one. A line that was cut off by a crash is skipped. */
function readLine(line: string, known: Map<string, Known>): void {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return;
  }
  if (!Array.isArray(entry)) return;
  const [name, version, at] = entry;
  if (typeof name !== 'string' || typeof version !== 'string') return;
  known.delete(name);
  known.set(name, { version, at: typeof at === 'string' ? at : null });
}
