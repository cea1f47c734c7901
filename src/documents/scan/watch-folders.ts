import { type FSWatcher, watch } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';

/** What is kept like a folder: a collection of documents, or a source of skills. Null: it has none. */
export interface FolderOf {
  readonly name: string;
  readonly folder: string | null;
}

export interface WatchOptions<C extends FolderOf, R> {
  /** The collections to watch now. Asked at the start, and at each reconciliation. */
  readonly collections: () => Promise<readonly C[]>;
  readonly scan: (collection: C) => Promise<R>;
  /** Called after each scan. */
  readonly onScanned: (report: R) => void | Promise<void>;
  /** Called when a collection cannot be scanned. The others go on. */
  readonly onProblem: (collection: string, error: unknown) => void;
  readonly signal: AbortSignal;
  /** An editor writes a file in several steps: a scan begins this long after the first. Default 400 ms. */
  readonly settleMs?: number;
  /** How often everything is compared, whatever the system told. Default 60 s. */
  readonly reconcileMs?: number;
  /** The same for folders that the system cannot watch, such as those of a network. Default 5 s. */
  readonly pollMs?: number;
}

/** A folder under watch. */
interface Watched {
  readonly inode: number;
  readonly watcher: FSWatcher | null;
}

/**
 * Keeps collections like their folders until the signal aborts: each is scanned at the start and after each change. Scans run
 * one at a time.
 */
export async function watchFolders<C extends FolderOf, R>(options: WatchOptions<C, R>): Promise<void> {
  const { signal, settleMs = 400, reconcileMs = 60_000, pollMs = 5000 } = options;
  const watched = new Map<string, Watched>();
  const changed = new Set<string>();
  let wake = () => {};
  const onChange = (name: string) => {
    changed.add(name);
    wake();
  };
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = () => {
      wake();
      resolve();
    };
  });
  signal.addEventListener('abort', stop);
  try {
    let reconciled = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const hasUnwatched = [...watched.values()].some(({ watcher }) => watcher === null);
      const every = hasUnwatched ? Math.min(pollMs, reconcileMs) : reconcileMs;
      if (performance.now() - reconciled >= every) {
        reconciled = performance.now();
        for (const name of await renewed(options, watched, onChange)) changed.add(name);
      }
      const wait = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const names = [...changed];
      changed.clear();
      for (const name of names) {
        if (signal.aborted) return;
        await scanned(options, name);
      }
      if (changed.size === 0) await atMost(wait, Math.max(0, every - (performance.now() - reconciled)));
      if (changed.size > 0) await atMost(aborted, settleMs);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    for (const { watcher } of watched.values()) watcher?.close();
  }
}

/** Watches the folders of all collections again that need it. Returns the names of all collections. */
async function renewed(
  { collections, onProblem }: Pick<WatchOptions<FolderOf, never>, 'collections' | 'onProblem'>,
  watched: Map<string, Watched>,
  onChange: (name: string) => void,
): Promise<readonly string[]> {
  const found = await collections().catch((error: unknown) => {
    onProblem('', error);
    return [];
  });
  const names = new Set(found.map(({ name }) => name));
  for (const [name, { watcher }] of watched) {
    if (names.has(name)) continue;
    watcher?.close();
    watched.delete(name);
  }
  for (const { name, folder } of found) {
    const inode = folder === null ? undefined : (await stat(folder).catch(() => undefined))?.ino;
    const before = watched.get(name);
    // A folder that was moved away and made again is another one.
    if (before !== undefined && before.inode === inode && before.watcher !== null) continue;
    before?.watcher?.close();
    watched.delete(name);
    if (folder === null || inode === undefined) continue;
    watched.set(name, {
      inode,
      watcher: await startWatch(
        folder,
        () => onChange(name),
        () => forget(name),
      ),
    });
  }
  /** The system can no longer watch it: it is compared from time to time. */
  function forget(name: string) {
    const lost = watched.get(name);
    if (lost === undefined) return;
    lost.watcher?.close();
    watched.set(name, { inode: lost.inode, watcher: null });
  }
  return [...names];
}

/** Null if the system cannot watch the folder. */
async function startWatch(folder: string, onChange: () => void, onLost: () => void): Promise<FSWatcher | null> {
  try {
    const watcher = watch(await realpath(folder), { recursive: true, persistent: false }, onChange);
    watcher.on('error', onLost);
    return watcher;
  } catch {
    return null;
  }
}

async function scanned<C extends FolderOf, R>(
  { collections, scan, onScanned, onProblem, signal }: WatchOptions<C, R>,
  name: string,
): Promise<void> {
  try {
    // As it is now: its patterns may have changed.
    const collection = (await collections()).find((one) => one.name === name);
    if (collection !== undefined) await onScanned(await scan(collection));
  } catch (error) {
    if (!signal.aborted) onProblem(name, error);
  }
}

/** Waits for work, or that many milliseconds. */
async function atMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
