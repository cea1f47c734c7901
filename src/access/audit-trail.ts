import { AsyncLocalStorage } from 'node:async_hooks';
import { type Caller, UNRESTRICTED } from '../model/caller/caller.ts';
import type { ErrorCode } from '../model/errors/errors.ts';
import type { AuditLog } from './audit-log.ts';
import { type AuditRecord, DONE, MAX_AUDIT_IDS, STARTED } from './audit-record.ts';

/** One request or command, from its start to its end. What is not known at the start is filled in later. */
export interface AuditContext {
  readonly request: string;
  readonly from: string | null;
  who: string;
  action: string;
  /** What it has touched. */
  readonly ids: Set<string>;
  isRefused: boolean;
}

/** A call of a tool, as the registry reports it. */
export interface RecordedCall extends NonNullable<AuditRecord['call']> {
  readonly phase: 'started' | 'done';
  readonly path: string;
  readonly code?: string | undefined;
}

/** A call that was refused before it was sent. */
export interface RecordedRefusal {
  readonly phase: 'refused';
  readonly path: string | null;
  readonly code: string;
}

/** The user of the data folder, and a caller without credentials. No user has these names: see `token-claims.ts`. */
const LOCAL = 'local';
const ANONYMOUS = 'anonymous';
export const RESERVED_NAMES: readonly string[] = [LOCAL, ANONYMOUS];

export const nameOf = (caller: Caller): string => caller.name ?? (caller === UNRESTRICTED ? LOCAL : ANONYMOUS);

export const auditContext = (start: Pick<AuditContext, 'request' | 'from' | 'action'>): AuditContext => ({
  ...start,
  who: ANONYMOUS,
  ids: new Set(),
  isRefused: false,
});

/** Errors that refuse a caller. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', 'FORBIDDEN']);
export const isRefusal = (code: ErrorCode): boolean => REFUSALS.has(code);

/**
 * Records the writes and refusals of requests. A write is recorded before it happens, with its ids: after a crash none is
 * missing, and none happens that cannot be recorded. A second record has its result.
 */
export class AuditTrail {
  readonly #log: AuditLog;
  readonly #now: () => Date;
  readonly #contexts = new AsyncLocalStorage<AuditContext>();

  constructor(log: AuditLog, now: () => Date = () => new Date()) {
    this.#log = log;
    this.#now = now;
  }

  /** Runs the work of a request. Whatever it writes is recorded with the context. */
  run<T>(context: AuditContext, work: () => Promise<T>): Promise<T> {
    return this.#contexts.run(context, work);
  }

  /** The context of the request that is at work. */
  get current(): AuditContext | undefined {
    return this.#contexts.getStore();
  }

  /** Records a write that is about to happen. Throws AUDIT_UNAVAILABLE: then it must not happen. */
  touches(ids: readonly string[], context = this.current): void {
    if (context === undefined || ids.length === 0) return;
    this.#log.append(this.#record(context, ids, STARTED));
    for (const id of ids) context.ids.add(id);
  }

  /** Records that a caller was refused, once for each request. */
  refused(context: AuditContext, code: string, ids: readonly string[] = []): void {
    if (context.isRefused) return;
    context.isRefused = true;
    this.#log.appendLater(this.#record(context, ids, code));
  }

  /** Records how the writes of a request ended, if it wrote since it was last called. */
  finish(context: AuditContext, result: string = DONE): void {
    if (context.ids.size === 0) return;
    this.#log.appendLater(this.#record(context, [...context.ids], result));
    context.ids.clear();
  }

  /**
   * Records a call of a tool before it is sent, and its end, or that it was refused. Throws AUDIT_UNAVAILABLE before: then nothing
   * must be sent.
   */
  called(event: RecordedCall | RecordedRefusal, context = this.current): void {
    if (context === undefined) return;
    if (event.phase === 'refused') {
      context.isRefused = true;
      this.#log.appendLater(this.#record(context, event.path === null ? [] : [`tool:${event.path}`], event.code));
      return;
    }
    const { phase, path, code = DONE } = event;
    const { class: callClass, definition, argument_names, arguments_sha256, bytes, ms } = event;
    const call = { class: callClass, definition, argument_names, arguments_sha256, bytes, ms };
    const ids = [`tool:${path}`];
    if (phase === 'started') this.#log.append({ ...this.#record(context, ids, STARTED), call });
    else this.#log.appendLater({ ...this.#record(context, ids, code === 'OK' ? DONE : code), call });
  }

  close(): void {
    this.#log.close();
  }

  #record({ request, who, from, action }: AuditContext, touched: readonly string[], result: string): AuditRecord {
    const ids = [...touched].sort().slice(0, MAX_AUDIT_IDS);
    return { at: this.#now().toISOString(), request, who, from, action, ids, ids_total: touched.length, result };
  }
}
