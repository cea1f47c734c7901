import { setTimeout as pause } from 'node:timers/promises';
import { type Timing, timingOf } from '../figures.ts';
import { type Environment, serveProcess } from '../torture/served-process.ts';
import { Words } from './markdown-folder.ts';
import { watchPeaks } from './peak-memory.ts';
import { runCommand } from './run-command.ts';

export interface ScanAndSearch {
  /** Searches with no scan: before, between and after the scans, as the index grows. */
  readonly quiet: Timing;
  readonly during: Timing;
  /** The mean of one scan. */
  readonly scanSeconds: number;
  readonly serverMb: number;
  readonly failed: number;
}

interface Work {
  /** Added before the measurement. */
  readonly small: string;
  /** Folders that are added during the measurement, one after the other. */
  readonly large: readonly string[];
  readonly data: string;
  readonly env: Environment;
}

/** Asked on a schedule: a search that waits for another one counts from the moment it was due. */
const EVERY_MS = 100;
const WARM_UP = 200;
const QUIET_QUESTIONS = 150;

/** How long searches take at a server while folders are sent to it, and with no scan, by turns. */
export async function searchDuringScan({ small, large, data, env }: Work): Promise<ScanAndSearch> {
  const server = await serveProcess(data, env);
  const watch = watchPeaks(server.child.pid!);
  const asker = new Asker(server.url);
  try {
    await runCommand(['docs', 'add', small, '--name', 'small', '--data', data], env);
    await settled(server.url);
    await asker.ask(async (asked) => asked < WARM_UP);
    const quiet = [...(await asker.ask(async (asked) => asked < QUIET_QUESTIONS))];
    const during: number[] = [];
    let scanMs = 0;
    for (const [n, folder] of large.entries()) {
      const start = performance.now();
      let isOver = false;
      const scan = runCommand(['docs', 'add', folder, '--name', `large-${n}`, '--data', data], env).then(() => {
        isOver = true;
      });
      during.push(...(await asker.ask(async () => !isOver)));
      await scan;
      scanMs += performance.now() - start;
      await settled(server.url);
      quiet.push(...(await asker.ask(async (asked) => asked < QUIET_QUESTIONS)));
    }
    return {
      quiet: timingOf(quiet),
      during: timingOf(during),
      scanSeconds: scanMs / 1000 / large.length,
      serverMb: watch.stop().own,
      failed: asker.failed,
    };
  } finally {
    watch.stop();
    await server.end('SIGTERM');
  }
}

/** Waits until no vector is missing. */
async function settled(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/api/health`);
    const { index } = (await response.json()) as { readonly index: { readonly missing_vectors: number } };
    if (index.missing_vectors === 0) return;
    await pause(500);
  }
}

class Asker {
  readonly #url: string;
  readonly #words = new Words(11);
  failed = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Asks until `more` says no. Gives the durations in milliseconds. */
  async ask(more: (asked: number) => Promise<boolean>): Promise<readonly number[]> {
    const durations: number[] = [];
    const open: Promise<void>[] = [];
    const start = performance.now();
    for (let asked = 0; await more(asked); asked++) {
      const due = start + asked * EVERY_MS;
      if (due > performance.now()) await pause(due - performance.now());
      open.push(this.#search().then(() => void durations.push(performance.now() - due)));
    }
    await Promise.all(open);
    return durations;
  }

  async #search(): Promise<void> {
    const response = await fetch(`${this.#url}/api/collections/small/search`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: this.#words.some(5), mode: 'hybrid', top_k: 10 }),
    });
    await response.arrayBuffer();
    if (!response.ok) this.failed++;
  }
}
