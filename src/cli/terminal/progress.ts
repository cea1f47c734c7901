import type { Terminal } from './terminal.ts';
import { cut } from './text-width.ts';

/** A terminal is redrawn often, a log gets few lines. */
const REDRAW_MS = 100;
const LOG_MS = 1000;
const BAR_CELLS = 24;
/** Before one of these, the first moments (a connection, a model that loads) would give a time left of hours. */
const MIN_SHARE = 0.05;
const MIN_SECONDS = 15;

export interface ProgressOptions {
  readonly terminal: Terminal;
  /** What is being done: `embedding`. */
  readonly label: string;
  readonly unit: string;
  /** Milliseconds, only ever rising. Default: the process's own clock. */
  readonly now?: () => number;
}

export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `1 line`, `2,000 lines` */
export function formatThings(count: number, thing: string): string {
  return `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/** `1 entity`, `2,000 entities` */
export function formatEntities(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'entity' : 'entities'}`;
}

/** `45 s`, `3 min 20 s`, `2 h 5 min` */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Shows progress: a bar on a capable terminal, a line per second elsewhere. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #redraws: boolean;
  readonly #now: () => number;
  readonly #started: number;
  #last: number;
  #shown = '';

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#redraws = options.terminal.eraseLine !== '';
    this.#now = options.now ?? (() => performance.now());
    this.#started = this.#now();
    // Work that takes less than a second needs no line in a log.
    this.#last = this.#redraws ? Number.NEGATIVE_INFINITY : this.#started;
  }

  /** `count` is the number of units done, if that differs from `done`, such as bytes of a file. */
  update(done: number, total: number, count = done): void {
    const { terminal } = this.#options;
    const now = this.#now();
    if (now - this.#last < (this.#redraws ? REDRAW_MS : LOG_MS)) return;
    const text = this.#text(done, total, count, (now - this.#started) / 1000);
    if (text === this.#shown) return;
    this.#last = now;
    this.#shown = text;
    terminal.write(this.#redraws ? `${terminal.eraseLine}${cut(text, terminal.columns - 1)}` : `${text}\n`);
  }

  /** Erases the bar. */
  clear(): void {
    const { terminal } = this.#options;
    if (this.#redraws && this.#shown !== '') terminal.write(terminal.eraseLine);
    this.#shown = '';
  }

  #text(done: number, total: number, count: number, seconds: number): string {
    const { label, unit } = this.#options;
    const share = total > 0 ? Math.min(1, done / total) : 0;
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    const filled = Math.round(share * BAR_CELLS);
    const bar = this.#redraws ? ` ${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}` : '';
    // Before a second has passed, a rate is noise.
    if (seconds < 1 || done === 0) return `${label}${bar} ${percent}  ${formatCount(count)} ${unit}`;
    const isKnown = share >= MIN_SHARE || seconds >= MIN_SECONDS;
    const rest = isKnown && share < 1 ? `, ${formatSeconds((seconds / share) * (1 - share))} left` : '';
    return `${label}${bar} ${percent}  ${formatCount(count)} ${unit}, ${formatCount(count / seconds)} ${unit}/s${rest}`;
  }
}

/** Shows the progress of a piece of work, and erases it however the work ends. */
export async function withProgress<T>(options: ProgressOptions, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = new Progress(options);
  try {
    return await work(progress);
  } finally {
    progress.clear();
  }
}
