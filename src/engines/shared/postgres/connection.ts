import type { Client, QueryResult, QueryResultRow } from 'pg';
import { DowserError } from '../../../model/errors/errors.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { isServerError, toRecordError } from './record-errors.ts';

const CONNECT_MS = 5_000;
/** A page of vectors takes a second or two. Past this the server is lost. */
const QUERY_MS = 20_000;
/** What is asked next waits for it. */
const END_MS = 2_000;
/** Tables of an older Dowser are changed as a new session begins. */
const PREPARE_MS = 600_000;
/** The server ends the session of a node that vanished, and with it its turn and its leases. */
const SESSION = `SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
  SET tcp_user_timeout = 20000; SET lock_timeout = 8000; SET idle_in_transaction_session_timeout = 30000; SET synchronous_commit = on; SET client_encoding = 'UTF8';
  SET standard_conforming_strings = on`;

/** Less than the 20 seconds of `tcp_user_timeout`. */
const HELD_MS = 15_000;

export interface QueryOptions {
  /** Fail if this is no longer the connection. */
  readonly session?: object | null;
  /** For the answer, and for a connection where there is none. Past this the server is lost. */
  readonly timeoutMs?: number;
}

/** What can be asked of one session. */
export interface Session {
  query<R extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly R[]>;
}

/** One connection. It connects on use, one attempt at a time, and again after it was lost. */
export class PostgresConnection {
  readonly #address: PostgresAddress;
  readonly #onConnect: (session: Session) => Promise<void>;
  readonly #onNotify: ((payload: string) => void) | undefined;
  readonly #now: () => number;
  #client: Client | null = null;
  /** The last statement of something that has ended. What is asked next waits for it. */
  #ending: Promise<void> | null = null;
  #connecting: Promise<Client> | null = null;
  /** When the last query was sent that the server has answered. */
  #answeredAt = 0;
  #isClosed = false;

  /** `onConnect` prepares each new session before anything else is asked. */
  constructor(
    address: PostgresAddress,
    onConnect: (session: Session) => Promise<void> = async () => {},
    onNotify?: (payload: string) => void,
    now: () => number = Date.now,
  ) {
    this.#address = address;
    this.#onConnect = onConnect;
    this.#onNotify = onNotify;
    this.#now = now;
  }

  /** Changes with each connection: what a session held is gone. */
  get session(): object | null {
    return this.#client;
  }

  /** Whether the server surely still has the session: it ends that of a node from which it hears nothing. */
  get isHeld(): boolean {
    return this.#client !== null && this.#now() - this.#answeredAt <= HELD_MS;
  }

  /** The rows of the last statement that has some; several statements take no values. */
  async query<R extends QueryResultRow>(
    text: string,
    values?: readonly unknown[],
    options: QueryOptions = {},
  ): Promise<readonly R[]> {
    // If it fails, the session ends, and with it everything that was sent behind it.
    if (this.#ending !== null) await this.#ending;
    return this.#run<R>({ text, ...(values === undefined ? {} : { values: [...values] }) }, options);
  }

  /**
   * The first query of something. If the session was lost unnoticed, a new one is asked: nothing depends on the old one yet.
   * The server may have closed it while it was idle, or because it shuts down.
   */
  async begin<R extends QueryResultRow>(
    text: string,
    values?: readonly unknown[],
    timeoutMs = QUERY_MS,
  ): Promise<readonly R[]> {
    const before = this.#client;
    const deadline = performance.now() + timeoutMs;
    try {
      return await this.query<R>(text, values, { timeoutMs });
    } catch (error) {
      const leftMs = deadline - performance.now();
      if (before === null || this.#client === before || this.#isClosed || leftMs <= 0) throw error;
      return await this.query<R>(text, values, { timeoutMs: leftMs });
    }
  }

  /** The last query of something. Nobody waits for its answer. If it fails, the session ends with whatever it holds. */
  end(text: string, session: object | null): void {
    if (session === null || session !== this.#client) return;
    const ending = this.query(text, undefined, { session, timeoutMs: END_MS })
      .then(
        () => {},
        () => {
          if (this.#client === session) this.drop();
        },
      )
      .finally(() => {
        if (this.#ending === ending) this.#ending = null;
      });
    this.#ending = ending;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = this.#client ?? (await this.#connecting?.catch(() => null)) ?? null;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  /** Ends the session, and with it whatever it holds. */
  drop(): void {
    const client = this.#client;
    this.#client = null;
    client?.end().catch(() => {});
  }

  async #run<R extends QueryResultRow>(
    query: object,
    { session, timeoutMs = QUERY_MS }: QueryOptions,
  ): Promise<readonly R[]> {
    let client: Client | null = null;
    const deadline = performance.now() + timeoutMs;
    try {
      client = session === undefined ? await within(this.#connected(), timeoutMs) : this.#client;
      if (client === null || (session !== undefined && client !== session)) throw new Error('the connection was lost');
      const sentAt = this.#now();
      const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
      const answer: unknown = await client.query({ ...query, query_timeout: leftMs } as never);
      if (client === this.#client) this.#answeredAt = sentAt;
      // Several statements have several results.
      const results = (Array.isArray(answer) ? answer : [answer]) as readonly QueryResult<R>[];
      return results.findLast(({ rows }) => rows.length > 0)?.rows ?? [];
    } catch (error) {
      // Whatever the driver thinks of this connection: the next query gets a new one. A query of an older session is none of it.
      const isOurs = client !== null && client === this.#client && (session === undefined || session === client);
      if (isOurs && !isServerError(error)) this.drop();
      throw toRecordError(error, this.#address.shown);
    }
  }

  #connected(): Promise<Client> | Client {
    if (this.#client !== null) return this.#client;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Client> {
    if (this.#isClosed)
      throw new DowserError('ENGINE_UNAVAILABLE', 'The engine is closed.', { hint: 'Open it again.' });
    const { default: pg } = await loadDriver();
    const client = new pg.Client({
      connectionString: this.#address.connectionString,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: PREPARE_MS,
      keepAlive: true,
      application_name: 'dowser',
    });
    const lost = () => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload = '' }) => this.#onNotify?.(payload));
    try {
      await client.connect();
      const sentAt = this.#now();
      await client.query({ text: SESSION, query_timeout: CONNECT_MS } as never);
      await this.#onConnect({
        query: async <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
          (await client.query<R>(text, [...values])).rows,
      });
      this.#client = client;
      this.#answeredAt = sentAt;
      return client;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
  }
}

/** The connection goes on being made: the next query may have it. */
function within<T>(connecting: Promise<T> | T, timeoutMs: number): Promise<T> | T {
  if (!(connecting instanceof Promise)) return connecting;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no connection in time')), timeoutMs);
    connecting.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function loadDriver() {
  return import('pg').catch((cause: unknown) => {
    throw new DowserError('RECORD_UNAVAILABLE', 'The package pg is not installed.', {
      hint: "Run `npm install pg`, or remove the setting 'store'.",
      cause,
    });
  });
}
