import type { Caller } from '../../model/caller/caller.ts';
import type { Definition } from '../../model/definitions.ts';
import type { McpServer, VirtualServer } from '../../model/entity.ts';
import type { ErrorCode } from '../../model/errors/errors.ts';
import type { JsonObject } from '../../model/json/json-object.ts';
import type { CallClass } from '../../model/query/call-classes.ts';

/**
 * Calls tools of registered servers for callers.
 *
 * It promises:
 * - What is executed is what was authorized: one function finds the tool and its arguments, and everything behind it uses those.
 * - A tool that its caller may not read is answered like one that does not exist.
 * - A tool that may change something is sent at most once. If its answer is lost, the call fails with OUTCOME_UNKNOWN.
 * - No server is started before a call has passed every check, and none outlives this process.
 */
export interface ToolCaller {
  /**
   * Calls one tool. A failure that the tool reports is an answer, with `isError` in its result. Everything else throws a
   * DowserError: see `call-errors.ts`.
   */
  call(request: unknown, by: CallBy, options?: CallOptions): Promise<CallAnswer>;
  /** Whether the tools at these paths may be called. Starts nothing. A path that the caller may not read is NOT_FOUND. */
  preflight(paths: readonly string[], by: CallBy): Promise<readonly CallCheck[]>;
  /** The call that a request means, and what it would start. Starts nothing. Throws what `call` would throw before it. */
  check(request: unknown, by: CallBy): Promise<CheckedCall>;
  /** A part of an answer that was cut. Throws NOT_FOUND for an unknown id, and for one of another caller. */
  readResult(request: unknown, by: Pick<CallBy, 'caller'>): Promise<ResultPart>;
  /** The servers that run, and those that wait before their next start. */
  status(): Promise<readonly UpstreamStatus[]>;
  /** Ends the instances of a server, or of all. Calls under way fail. Returns how many it ended. */
  stop(path?: string): Promise<number>;
  /** Ends everything. */
  close(): Promise<void>;
}

/** Who calls, and what it may see. */
export interface CallBy {
  readonly caller: Caller;
  readonly view: CallView;
  /** Called before a call is sent, and after it, or when it is refused. If it throws before, nothing is sent. */
  readonly onCall?: ((event: CallEvent | RefusedCall) => void) | undefined;
}

/** The part of the registry of one caller that calls need. */
export interface CallView {
  /** The tool at `/server#tool`. Undefined without one that the caller may read. */
  find(path: string): Promise<FoundTool | undefined>;
  /** Paths of servers whose last part is this name, in any spelling. */
  serversNamed(name: string): Promise<readonly string[]>;
  /** At most three paths of tools that may have been meant. */
  near(path: string): Promise<readonly string[]>;
}

export interface FoundTool {
  /** As the registry spells it. */
  readonly path: string;
  readonly server: McpServer | VirtualServer;
  /** What runs the tool: the server itself, or the backend of a mapping. Null if the backend is not there. */
  readonly backend: Backend | null;
}

export interface Backend {
  readonly server: McpServer;
  /** The name of the tool there. */
  readonly tool: string;
  /** The accepted definition of the tool, or that of the registered entity if it never had a source. */
  readonly accepted: Definition;
  /** The first 12 hex digits of its digest. */
  readonly definition: string;
  /** Whether the registry knows that the tool is no longer as accepted. */
  readonly isDrifted: boolean;
  /** Where the server came from. Undefined for one that was registered by hand. */
  readonly source: ServerSource | undefined;
  /** Whether every reader of the virtual server may read the backend, or both have one owner. True for the server itself. */
  readonly isShared: boolean;
}

export interface ServerSource {
  readonly kind: string;
  readonly locator: JsonObject;
  /** Which server of the source it is. */
  readonly part: string;
  /** Equal for two readings of the same source. */
  readonly key: string;
}

export interface CallOptions {
  /** Cancels the call at the server of the tool too. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the tool tells its progress, at most four times a second. */
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
}

export interface CallProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface CallAnswer {
  /** As the server sent it, but for what was cut: `content`, `structuredContent`, `isError`, `_meta`. */
  readonly result: JsonObject;
  readonly call: CallFacts;
}

export interface CallFacts {
  /** For `readResult`. */
  readonly id: string;
  readonly path: string;
  readonly class: CallClass;
  readonly definition: string;
  /** How long the server took to start, the call waited for its turn, and the tool worked, in milliseconds. */
  readonly start_ms: number;
  readonly queue_ms: number;
  readonly ms: number;
  /** Whether a part of the answer was left out. */
  readonly cut: boolean;
  /** What was repaired in the request, with what to send next time. */
  readonly repairs: readonly string[];
  readonly warnings: readonly string[];
}

export interface CallCheck {
  readonly path: string;
  /** Null: it may not be called, and `why` says why. */
  readonly class: CallClass | null;
  readonly definition: string | null;
  /** The names of its arguments, required ones with a star. */
  readonly signature: string | null;
  readonly code: string | null;
  readonly why: string | null;
}

export interface CheckedCall {
  readonly path: string;
  readonly arguments: JsonObject;
  readonly class: CallClass;
  readonly definition: string;
  /** The server that runs the tool, and the tool's name there. */
  readonly server: string;
  readonly tool: string;
  /** The command or the address, with references in place of secrets. */
  readonly starts: string;
  readonly repairs: readonly string[];
  readonly warnings: readonly string[];
}

export interface ResultPart {
  readonly text: string;
  /** A block of the answer that was too large, as it is. Then `text` is empty. */
  readonly block?: JsonObject | undefined;
  /** Where the next part begins. Null at the end. */
  readonly next: number | null;
  readonly total: number;
}

export interface UpstreamStatus {
  readonly path: string;
  readonly state: 'starting' | 'ready' | 'ending' | 'paused';
  readonly transport: string | null;
  readonly pid: number | null;
  /** Calls under way. */
  readonly in_flight: number;
  readonly calls: number;
  /** For `paused`: until the next start is tried, in seconds. */
  readonly retry_after: number | null;
}

/** For the audit log and the metrics. It has no value of an argument. */
export interface CallEvent {
  readonly phase: 'started' | 'done';
  readonly path: string;
  readonly server: string;
  readonly class: CallClass;
  readonly definition: string;
  /** As the caller named it. Not for the log: it may be anything. */
  readonly session: string | undefined;
  readonly argument_names: readonly string[];
  /** Of the arguments as canonical JSON. */
  readonly arguments_sha256: string;
  /** For `done`. */
  readonly code?: string | undefined;
  readonly bytes?: number | undefined;
  /** With the start of the server and the wait for a turn. */
  readonly ms?: number | undefined;
  /** How long the server had it, at the last try. Undefined if it was never sent. */
  readonly sent_ms?: number | undefined;
}

/** A call that was refused before it was sent. */
export interface RefusedCall {
  readonly phase: 'refused';
  /** Null if no tool was found that the caller may read. */
  readonly path: string | null;
  readonly code: ErrorCode;
}
