import type { Health } from '../../registry/contract/answers.ts';
import type { TimedSearch } from '../../registry/contract/search-steps.ts';

type EmbedderState = Health['embedder']['state'];
type Outcome = TimedSearch['outcome'];

/** What happened in one minute. */
export interface ActivityMinute {
  /** When it began. ISO 8601. */
  readonly at: string;
  readonly requests: number;
  /** Requests with a status of 500 or more. */
  readonly failed: number;
  readonly searches: number;
  /** Null without a search. */
  readonly search_p50_ms: number | null;
  readonly search_p95_ms: number | null;
  /** Searches with words. What somebody types counts once. */
  readonly questions: number;
  readonly no_match: number;
  readonly low_confidence: number;
  /** The highest that was seen. */
  readonly running: number;
  readonly loop_delay_ms: number;
  readonly memory_bytes: number;
  readonly embedder: EmbedderState;
}

/** A question that was not answered, by its text. */
export interface Unanswered {
  readonly query: string;
  readonly outcome: Exclude<Outcome, 'found'>;
  readonly times: number;
  readonly last_at: string;
}

export interface ActivityParts {
  /** Keeps the texts of questions without an answer. */
  readonly keepsTexts: boolean;
  readonly now: () => number;
  /** Read now and then. */
  readonly state: () => Promise<Pick<ActivityMinute, 'running' | 'loop_delay_ms' | 'memory_bytes' | 'embedder'>>;
}

type Counts = {
  -readonly [K in keyof Omit<ActivityMinute, 'at' | 'search_p50_ms' | 'search_p95_ms'>]: ActivityMinute[K];
};
interface Minute extends Counts {
  readonly start: number;
  /** Of the last searches, in milliseconds. */
  readonly times: number[];
}

interface Question {
  text: string;
  at: number;
  outcome: Outcome;
  minute: Minute;
}

const MINUTE_MS = 60_000;
const MINUTES = 60;
const SAMPLE_MS = 15_000;
/** Durations that are kept of a minute. */
const MAX_TIMES = 256;
/** A text that continues another within this time is of somebody who types. */
const TYPING_MS = 3000;
const MAX_TYPISTS = 16;
const MAX_TEXTS = 500;
const MAX_TEXT_CHARS = 300;

/** The last hour of a server, in memory: what it did, and which questions found nothing. */
export class Activity {
  readonly #parts: ActivityParts;
  readonly #minutes: Minute[] = [];
  /** Of the last seconds, whatever `keepsTexts` says: to tell typing from asking. The newest last. */
  readonly #typed: Question[] = [];
  readonly #unanswered: Question[] = [];
  #timer: NodeJS.Timeout | undefined;
  #embedder: EmbedderState = 'off';

  constructor(parts: ActivityParts) {
    this.#parts = parts;
  }

  /** Samples until `close`. Does not keep the process alive. */
  start(): void {
    const sample = () => this.sample().catch(() => undefined);
    this.#timer = setInterval(sample, SAMPLE_MS).unref();
    sample();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The states of now, kept as the highest of their minute. */
  async sample(): Promise<void> {
    const { running, loop_delay_ms, memory_bytes, embedder } = await this.#parts.state();
    this.#embedder = embedder;
    const minute = this.#minute();
    minute.running = Math.max(minute.running, running);
    minute.loop_delay_ms = Math.max(minute.loop_delay_ms, loop_delay_ms);
    minute.memory_bytes = Math.max(minute.memory_bytes, memory_bytes);
    minute.embedder = embedder;
  }

  answered(status: number): void {
    const minute = this.#minute();
    minute.requests += 1;
    if (status >= 500) minute.failed += 1;
  }

  searched({ steps, text, size, outcome }: Pick<TimedSearch, 'steps' | 'text' | 'size' | 'outcome'>): void {
    const minute = this.#minute();
    minute.times[minute.searches % MAX_TIMES] = steps.at(-1)!.until - steps[0]!.from;
    minute.searches += 1;
    // One result is asked for by programs that count.
    if (text !== '' && size > 1) this.#asked(text.slice(0, MAX_TEXT_CHARS).toLowerCase(), outcome, minute);
  }

  /** Oldest first, the minute that has begun last. `unanswered` is null where texts are not kept. */
  report(): { readonly minutes: readonly ActivityMinute[]; readonly unanswered: readonly Unanswered[] | null } {
    this.#minute();
    const minutes = this.#minutes.map(({ start, times, ...counts }) => {
      const sorted = times.toSorted((a, b) => a - b);
      const at = (share: number) => {
        const value = sorted[Math.ceil(share * sorted.length) - 1];
        return value === undefined ? null : Math.round(value * 100) / 100;
      };
      return { at: new Date(start).toISOString(), search_p50_ms: at(0.5), search_p95_ms: at(0.95), ...counts };
    });
    return { minutes, unanswered: this.#parts.keepsTexts ? this.#texts() : null };
  }

  /** The minute of now. Those that are older than an hour go. */
  #minute(): Minute {
    const start = Math.floor(this.#parts.now() / MINUTE_MS) * MINUTE_MS;
    const last = this.#minutes.at(-1);
    if (last?.start === start) return last;
    const counts = { requests: 0, failed: 0, searches: 0, questions: 0, no_match: 0, low_confidence: 0 };
    const states = { running: 0, loop_delay_ms: 0, memory_bytes: last?.memory_bytes ?? 0, embedder: this.#embedder };
    const minute: Minute = { start, times: [], ...counts, ...states };
    this.#minutes.push(minute);
    const oldest = start - (MINUTES - 1) * MINUTE_MS;
    while (this.#minutes[0]!.start < oldest) this.#minutes.shift();
    return minute;
  }

  /** Counts a question. One that continues another, or that is asked again at once, takes its place. */
  #asked(text: string, outcome: Outcome, minute: Minute): void {
    const now = this.#parts.now();
    while (now - (this.#typed[0]?.at ?? now) > TYPING_MS) this.#typed.shift();
    const at = this.#typed.findIndex(
      (one) => now - one.at <= TYPING_MS && (text.startsWith(one.text) || one.text.startsWith(text)),
    );
    const before = this.#typed[at];
    if (before?.text === text) {
      before.at = now;
      return;
    }
    if (before !== undefined) {
      this.#typed.splice(at, 1);
      this.#count(before, -1);
    }
    const question = { text, at: now, outcome, minute };
    this.#typed.push(question);
    if (this.#typed.length > MAX_TYPISTS) this.#typed.shift();
    this.#count(question, 1);
  }

  #count(question: Question, by: 1 | -1): void {
    const { minute, outcome } = question;
    minute.questions += by;
    if (outcome === 'found') return;
    minute[outcome] += by;
    if (!this.#parts.keepsTexts) return;
    if (by === 1) {
      this.#unanswered.push(question);
      if (this.#unanswered.length > MAX_TEXTS) this.#unanswered.shift();
    } else {
      const at = this.#unanswered.indexOf(question);
      if (at >= 0) this.#unanswered.splice(at, 1);
    }
  }

  /** The most frequent first, of the last hour. */
  #texts(): readonly Unanswered[] {
    const oldest = this.#parts.now() - MINUTES * MINUTE_MS;
    const texts = new Map<string, Unanswered>();
    for (const { text, at, outcome } of this.#unanswered) {
      if (outcome === 'found' || at < oldest) continue;
      const times = (texts.get(text)?.times ?? 0) + 1;
      texts.set(text, { query: text, outcome, times, last_at: new Date(at).toISOString() });
    }
    return [...texts.values()].sort((a, b) => b.times - a.times || b.last_at.localeCompare(a.last_at));
  }
}
