import { DowserError } from '../../model/errors.ts';
import type { JsonObject } from '../../model/json-object.ts';
import type { CallableServer } from '../../sources/mcp/callable-server.ts';
import type { OpenMcpServer } from '../../sources/mcp/mcp-connection.ts';

/** One running instance of a server: a process or a connection. */
export class Upstream {
  readonly server: CallableServer;
  /** The path of the registered server. */
  readonly path: string;
  /** Whose state it may hold. Null: it keeps none, so that everyone shares it. */
  owner: string | null;
  inFlight = 0;
  calls = 0;
  /** When it became the instance of its owner, and when its last call ended. */
  readonly since: number;
  lastUsed: number;
  /** How long it took to start. */
  startMs = 0;
  readonly ready: Promise<void>;
  #state: 'starting' | 'ready' | 'ending' | 'ended' = 'starting';
  #opened: OpenMcpServer | null = null;
  #tools: ReadonlyMap<string, JsonObject> = new Map();
  #areToolsOld = false;
  #ending: Promise<void> | null = null;
  readonly #stop = new AbortController();
  readonly #onEnd: (upstream: Upstream) => void;

  constructor(given: UpstreamOptions) {
    this.server = given.server;
    this.path = given.path;
    this.owner = given.owner;
    this.since = given.now;
    this.lastUsed = given.now;
    this.#onEnd = given.onEnd;
    this.ready = this.#start(given.listMs);
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

  /** Its tools by name, as they are now. */
  async tools(signal: AbortSignal): Promise<ReadonlyMap<string, JsonObject>> {
    if (this.#areToolsOld) await this.#readTools(signal);
    return this.#tools;
  }

  /** Ends it. Calls under way fail. */
  end(): Promise<void> {
    this.#ending ??= this.#close();
    return this.#ending;
  }

  async #start(listMs: number): Promise<void> {
    const began = performance.now();
    try {
      const opened = await this.server.open(this.#stop.signal);
      this.#opened = opened;
      opened.onClose(() => void this.end());
      opened.client.setNotificationHandler('notifications/tools/list_changed', () => {
        this.#areToolsOld = true;
      });
      await this.#readTools(AbortSignal.any([this.#stop.signal, AbortSignal.timeout(listMs)]));
      if (this.#state !== 'starting') throw new Error('The server was ended while it started.');
      this.#state = 'ready';
      this.startMs = performance.now() - began;
    } catch (thrown) {
      const failure = this.#opened?.failure(thrown) ?? thrown;
      await this.end();
      throw failure instanceof DowserError ? this.server.redactor().error(failure) : failure;
    }
  }

  async #readTools(signal: AbortSignal): Promise<void> {
    this.#areToolsOld = false;
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
