import { randomUUID } from 'node:crypto';
import { DowserError } from '../../../model/errors.ts';
import { WriteTurns } from '../../write-turns.ts';
import type { RecordChanges, RecordPage, RecordTurn, SharedRecord, SinceQuery } from '../shared-record.ts';
import type { HeadCells } from './cells.ts';
import { PostgresConnection, type Session } from './connection.ts';
import { type PostgresAddress, parsePostgresAddress } from './postgres-address.ts';
import { HEAD, readSince } from './read-since.ts';
import { isServerError, unknownCommit } from './record-errors.ts';
import { updateTables } from './tables.ts';
import { writeChanges } from './write-changes.ts';

/** One turn over all nodes that share a schema of a database. */
const TURN = "hashtext('dowser turn'), hashtext(current_schema())";
const LEASE = "hashtext('dowser lease ' || $1), hashtext(current_schema())";
const CHANNEL = "'dowser_' || md5(current_schema())";
const BEGIN = `BEGIN; SELECT pg_advisory_xact_lock(${TURN}); UPDATE dowser_head SET seq = seq + 1 RETURNING seq`;
/** A node that stops in the midst of its turn must not stop all others. */
const MAX_IDLE_TURN_MS = 30_000;

/**
 * The record in PostgreSQL. One connection writes, in turns of all nodes. Another one reads, listens and has the leases.
 * `pg` is loaded on use.
 */
export class PostgresRecord implements SharedRecord {
  readonly address: string;
  readonly #writer: PostgresConnection;
  readonly #reader: PostgresConnection;
  /** One use of a connection at a time: a transaction has several statements. */
  readonly #turns = new WriteTurns();
  readonly #reads = new WriteTurns();
  readonly #node = randomUUID();
  #leases = new Set<string>();
  #onChange: () => void = () => {};

  /** `now`: milliseconds, for tests. */
  constructor(url: string, now?: () => number) {
    const address: PostgresAddress = parsePostgresAddress(url);
    this.address = address.shown;
    this.#writer = new PostgresConnection(address);
    this.#reader = new PostgresConnection(
      address,
      (session) => this.#prepare(session),
      (sender) => {
        // What this node wrote it has.
        if (sender !== this.#node) this.#onChange();
      },
      now,
    );
  }

  async open(): Promise<string> {
    const [head] = await this.#reads.take(() => this.#reader.begin<HeadCells>(HEAD));
    return head!.id;
  }

  async head(): Promise<number> {
    const [head] = await this.#reads.take(() => this.#reader.begin<HeadCells>(HEAD));
    return Number(head!.seq);
  }

  inTurn<T>(work: (turn: RecordTurn) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      const { session, head } = await this.#takeTurn();
      const turn: RecordTurn = { head, write: (changes) => this.#write(session, changes) };
      try {
        return await work(turn);
      } finally {
        this.#writer.end(`SET idle_session_timeout = 0; SELECT pg_advisory_unlock(${TURN})`, session);
      }
    });
  }

  since(query: SinceQuery): Promise<RecordPage> {
    return this.#reads.take(() => readSince(this.#reader, query));
  }

  async follow(onChange: () => void): Promise<void> {
    this.#onChange = onChange;
    await this.head();
  }

  lease(name: string): Promise<boolean> {
    return this.#reads.take(async () => {
      // Connects if needed, which forgets the leases of the session before.
      if (this.#leases.has(name) && !this.#reader.isHeld) await this.#reader.begin(HEAD);
      if (this.#reader.session !== null && this.#leases.has(name)) return true;
      const [taken] = await this.#reader.begin<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${LEASE}) AS taken`, [
        name,
      ]);
      if (taken?.taken !== true) return false;
      this.#leases.add(name);
      return true;
    });
  }

  holds(name: string): boolean {
    return this.#leases.has(name) && this.#reader.isHeld;
  }

  release(name: string): Promise<void> {
    return this.#reads.take(async () => {
      if (!this.#leases.delete(name) || this.#reader.session === null) return;
      await this.#reader.query(`SELECT pg_advisory_unlock(${LEASE})`, [name]);
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader.close(), this.#writer.close()]);
  }

  /** Each new session: the tables may be of a newer Dowser by now, and leases are gone. */
  async #prepare(session: Session): Promise<void> {
    this.#leases = new Set();
    await updateTables(session, this.address);
    const [name] = await session.query<{ channel: string }>(`SELECT ${CHANNEL} AS channel`);
    await session.query(`LISTEN ${name!.channel}`);
  }

  async #takeTurn(): Promise<{ readonly session: object; readonly head: number }> {
    const take = `SET idle_session_timeout = ${MAX_IDLE_TURN_MS}; SELECT pg_advisory_lock(${TURN}); ${HEAD}`;
    const [head] = await this.#writer.begin<HeadCells>(take);
    return { session: this.#writer.session!, head: Number(head!.seq) };
  }

  /** The lock of the turn is of the session, and each write takes it for its transaction too: it commits with it or not at all. */
  async #write(session: object, changes: RecordChanges): Promise<number> {
    const run = (text: string, values?: readonly unknown[]) => this.#writer.query(text, values, session);
    let seq: number;
    try {
      const [head] = await this.#writer.query<{ seq: string }>(BEGIN, undefined, session);
      seq = Number(head!.seq);
      await writeChanges(run, seq, changes);
    } catch (error) {
      await run('ROLLBACK').catch(() => this.#writer.drop());
      throw error;
    }
    try {
      await run(`SELECT pg_notify(${CHANNEL}, '${this.#node}'); COMMIT`);
    } catch (error) {
      this.#writer.drop();
      // With an answer of the server, it did not commit.
      throw isRefused(error) ? error : unknownCommit(error, this.address);
    }
    return seq;
  }
}

const isRefused = (error: unknown): boolean => error instanceof DowserError && isServerError(error.cause);
