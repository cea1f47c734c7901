import { DowserError } from '../../model/errors/errors.ts';
import type { JsonObject } from '../../model/json/json-object.ts';
import type { CallableServer } from '../../sources/mcp/callable-server.ts';
import type { OpenMcpServer } from '../../sources/mcp/mcp-connection.ts';

/** How often a list that keeps changing is read for one call. */
const MAX_READS = 3;
/** A server that hangs answers nobody. One that is slow at one tool answers others in between. */
const MAX_UNANSWERED = 3;

/** One running instance of a server: a process or a connection. */
export class Upstream {
  readonly server: CallableServer;
  /** The path of the registered server. */
  readonly path: string;
  /** Whose state it may hold. Null: it keeps none, so that everyone shares it. */
  owner: string | null;
  inFlight = 0;
  calls = 0;
  /** When it was started, or had started, and when its last call ended. */
  since: number;
  lastUsed: number;
  /** How long it took to start. */
  startMs = 0;
  readonly ready: Promise<void>;
  #state: 'starting' | 'ready' | 'ending' | 'ended' = 'starting';
  #opened: OpenMcpServer | null = null;
  #tools: ReadonlyMap<string, JsonObject> = new Map();
  #areToolsOld = false;
  #reading: Promise<void> | null = null;
  /** Calls in a row that got no sign of life. */
  #unanswered = 0;
  #ending: Promise<void> | null = null;
  readonly #stop = new AbortController();
  readonly #listMs: number;
  readonly #onEnd: (upstream: Upstream) => void;

  constructor(given: UpstreamOptions) {
    this.server = given.server;
    this.path = given.path;
    this.owner = given.owner;
    this.since = given.now;
    this.lastUsed = given.now;
    this.#onEnd = given.onEnd;
    this.#listMs = given.listMs;
    this.ready = this.#start();
    // Whoever waits for it sees the failure.
    this.ready.catch(() => {});
  }

  get state() {
    return this.#state;
  }

  get opened(): OpenMcpServer {
    return this.#opened!;
  }

  get isModern(): boolean {
    return this.#opened?.isModern === true;
  }

  get pid(): number | null {
    return this.#opened?.child?.pid ?? null;
  }

  get transport(): string | null {
    return this.#opened?.transport ?? null;
  }

  /** Its tools by name, as they are now. All who ask while it reads them again wait for the same list. */
  async tools(signal: AbortSignal): Promise<ReadonlyMap<string, JsonObject>> {
    // It may change again while it is read: a few times, or each time.
    for (let round = 0; (this.#areToolsOld || this.#reading !== null) && round < MAX_READS; round++) {
      this.#reading ??= this.#readTools().finally(() => {
        this.#reading = null;
      });
      await unlessAborted(signal, this.#reading);
    }
    return this.#tools;
  }

  /** It gave a sign of life. */
  answered(): void {
    this.#unanswered = 0;
  }

  /** A call got none in its time. After some in a row, the instance takes no more: the next call starts another. */
  leftUnanswered(): void {
    this.#unanswered++;
    if (this.#unanswered >= MAX_UNANSWERED) this.retire();
  }

  /** Takes no more calls, and ends after those under way. */
  retire(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'ending';
    if (this.inFlight === 0) void this.end();
  }

  /** Ends it. Calls under way fail. */
  end(): Promise<void> {
    this.#ending ??= this.#close();
    return this.#ending;
  }

  async #start(): Promise<void> {
    const began = performance.now();
    try {
      const opened = await this.server.open(this.#stop.signal);
      this.#opened = opened;
      opened.onClose(() => void this.end());
      const changed = () => {
        this.#areToolsOld = true;
      };
      opened.watchTools(changed, this.#stop.signal);
      await this.#readTools();
      if (this.#state !== 'starting') throw new Error('The server was ended while it started.');
      this.#state = 'ready';
      this.startMs = performance.now() - began;
    } catch (thrown) {
      const failure = this.#opened?.failure(thrown) ?? thrown;
      await this.end();
      throw failure instanceof DowserError ? this.server.redactor().error(failure) : failure;
    }
  }

  async #readTools(): Promise<void> {
    this.#areToolsOld = false;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#listMs)]);
    try {
      const tools = await this.server.listTools(this.opened, signal);
      this.#tools = new Map(tools.map((tool) => [String(tool.name), tool]));
    } catch (thrown) {
      this.#areToolsOld = true;
      throw thrown;
    }
  }

  async #close(): Promise<void> {
    this.#state = 'ending';
    this.#stop.abort(new Error('The server was ended.'));
    await this.#opened?.close();
    this.#state = 'ended';
    this.#onEnd(this);
  }
}

export interface UpstreamOptions {
  readonly server: CallableServer;
  readonly path: string;
  readonly owner: string | null;
  readonly now: number;
  readonly listMs: number;
  readonly onEnd: (upstream: Upstream) => void;
}

/** Stops waiting when the signal aborts. The work goes on for others. */
async function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  // It may fail after everyone has stopped waiting.
  work.catch(() => {});
  signal.throwIfAborted();
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: stop.signal });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    stop.abort();
  }
}
