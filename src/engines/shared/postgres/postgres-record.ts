import { randomUUID } from 'node:crypto';
import { DowserError } from '../../../model/errors/errors.ts';
import type {
  Horizon,
  RecordChanges,
  RecordHead,
  RecordKeys,
  RecordPage,
  RecordTurn,
  SharedRecord,
  SinceQuery,
} from '../../shared-record.ts';
import { WriteTurns } from '../../write-turns.ts';
import { type HeadCells, type KeyCells, toHead, toKeys } from './cells.ts';
import { PostgresConnection, type Session } from './connection.ts';
import { literal } from './literal.ts';
import { type PostgresAddress, parsePostgresAddress } from './postgres-address.ts';
import { HEAD, POLL_MS, readSince } from './read-since.ts';
import { codeOf, isServerError, unknownCommit } from './record-errors.ts';
import { NEW_EPOCH, type TableStep, Tables, TURN } from './tables.ts';
import { writeChanges } from './write-changes.ts';

const LEASE = "hashtext('dowser lease ' || $1), hashtext(current_schema())";
const CHANNEL = "'dowser_' || md5(current_schema())";
const KEYS = 'SELECT h.keys AS tip, k.* FROM dowser_head h LEFT JOIN dowser_keys k ON true';
/** How long a write waits for its turn, and then for its answer. Past this the record is lost. */
const WRITE_MS = 8_000;
/** Connects, and reads or creates the tables. */
const OPEN_MS = 10_000;
/** A node that stops in the midst of its turn must not stop all others for longer. */
const MAX_SILENT_TURN_MS = 5_000;
/** A node that computes in its turn says so. */
const BEAT_MS = 1_500;
/** The tables were replaced by those of a backup: a new session looks at them again. */
const OTHER_TABLES = new Set(['42P01', '42703']);

export interface PostgresOptions {
  /** Milliseconds, for tests. */
  readonly now?: () => number;
  /** Default: the tables of this Dowser. */
  readonly steps?: readonly TableStep[];
}

/**
 * The record in PostgreSQL. One connection writes, in turns of all nodes. Another one reads, listens and has the leases.
 * `pg` is loaded on use.
 */
export class PostgresRecord implements SharedRecord {
  readonly address: string;
  readonly #writer: PostgresConnection;
  readonly #reader: PostgresConnection;
  readonly #tables: Tables;
  /** One use of a connection at a time: a transaction has several statements. */
  readonly #turns = new WriteTurns();
  readonly #reads = new WriteTurns();
  readonly #node = randomUUID();
  #leases = new Set<string>();
  #onChange: () => void = () => {};
  #wasOpen = false;
  /** How often a turn was asked for in vain. */
  #losses = 0;

  constructor(url: string, { now, steps }: PostgresOptions = {}) {
    const address: PostgresAddress = parsePostgresAddress(url);
    this.address = address.shown;
    this.#tables = new Tables(address.shown, steps);
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

  async open(): Promise<RecordHead> {
    const head = await this.#readHead(OPEN_MS);
    this.#wasOpen = true;
    return head;
  }

  head(): Promise<RecordHead> {
    return this.#readHead(POLL_MS);
  }

  inTurn<T>(work: (turn: RecordTurn) => Promise<T>): Promise<T> {
    const losses = this.#losses;
    return this.#turns.take(async () => {
      // Those who waited meanwhile do not each try for as long.
      if (losses < this.#losses) throw this.#noTurn();
      const cells = await this.#takeTurn();
      const session = this.#writer.session!;
      const beat = setInterval(() => {
        this.#writer.query('SELECT 1', undefined, { session }).catch(() => {});
      }, BEAT_MS);
      try {
        this.#check(cells, this.#writer);
        const head = toHead(cells!);
        let last = head;
        const write = async (changes: RecordChanges) => {
          last = await this.#write(session, last, changes);
          return last;
        };
        return await work({ head, write });
      } finally {
        clearInterval(beat);
        this.#writer.end(`SET idle_session_timeout = 0; SELECT pg_advisory_unlock(${TURN})`, session);
      }
    });
  }

  async #takeTurn(): Promise<HeadCells | undefined> {
    const take = `SET idle_session_timeout = ${MAX_SILENT_TURN_MS}; SELECT pg_advisory_lock(${TURN}); ${HEAD}`;
    try {
      const [cells] = await this.#writer.begin<HeadCells>(take, undefined, WRITE_MS);
      return cells;
    } catch (error) {
      if (!isRefused(error)) this.#losses++;
      throw error;
    }
  }

  since(query: SinceQuery): Promise<RecordPage> {
    return this.#read(() => readSince(this.#reader, query, (cells) => this.#check(cells, this.#reader)));
  }

  keys(): Promise<RecordKeys> {
    return this.#read(async () => toKeys(await this.#reader.begin<KeyCells>(KEYS, undefined, POLL_MS)));
  }

  follow(onChange: () => void): void {
    this.#onChange = onChange;
  }

  async endEpoch(epoch: string): Promise<void> {
    const end = `UPDATE dowser_head SET epoch = ${NEW_EPOCH} WHERE epoch = ${literal(epoch)};
      SELECT pg_notify(${CHANNEL}, '${this.#node}')`;
    await this.#read(() => this.#reader.begin(end, undefined, POLL_MS));
  }

  async purge(horizon: Horizon): Promise<void> {
    const ask = <R extends { readonly purged?: string }>(statement: string) =>
      this.#read(() => this.#reader.begin<R>(statement));
    const [moved] = await ask(moveHorizon(horizon));
    for (const step of purgeSteps(Number(moved!.purged))) while ((await ask(step)).length > 0);
  }

  lease(name: string): Promise<boolean> {
    return this.#read(async () => {
      // Connects if needed, which forgets the leases of the session before.
      if (this.#leases.has(name) && !this.#reader.isHeld) await this.#reader.begin(HEAD, undefined, POLL_MS);
      if (this.#reader.session !== null && this.#leases.has(name)) return true;
      const take = `SELECT pg_try_advisory_lock(${LEASE}) AS taken`;
      const [taken] = await this.#reader.begin<{ taken: boolean }>(take, [name], POLL_MS);
      if (taken?.taken !== true) return false;
      this.#leases.add(name);
      return true;
    });
  }

  holds(name: string): boolean {
    return this.#leases.has(name) && this.#reader.isHeld;
  }

  release(name: string): Promise<void> {
    return this.#read(async () => {
      if (!this.#leases.delete(name) || this.#reader.session === null) return;
      await this.#reader.query(`SELECT pg_advisory_unlock(${LEASE})`, [name], { timeoutMs: POLL_MS });
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader.close(), this.#writer.close()]);
  }

  /** Each new session: the tables may be of another Dowser by now, and leases are gone. */
  async #prepare(session: Session): Promise<void> {
    this.#leases = new Set();
    await this.#tables.update(session, !this.#wasOpen);
    const [name] = await session.query<{ channel: string }>(`SELECT ${CHANNEL} AS channel`);
    await session.query(`LISTEN ${name!.channel}`);
  }

  #readHead(timeoutMs: number): Promise<RecordHead> {
    return this.#read(async () => {
      const [cells] = await this.#reader.begin<HeadCells>(HEAD, undefined, timeoutMs);
      this.#check(cells, this.#reader);
      return toHead(cells!);
    });
  }

  #read<T>(work: () => Promise<T>): Promise<T> {
    return this.#reads.take(async () => {
      try {
        return await work();
      } catch (error) {
        if (OTHER_TABLES.has(codeOf((error as DowserError).cause))) this.#reader.drop();
        throw error;
      }
    });
  }

  /** Tables of an older Dowser come from a backup: the next session of the reader brings them up to date. */
  #check(cells: HeadCells | undefined, connection: PostgresConnection): void {
    try {
      this.#tables.check(cells?.version);
    } catch (error) {
      connection.drop();
      if (connection !== this.#reader) this.#reader.drop();
      throw error;
    }
  }

  /**
   * One round trip. The lock of the turn is of the session, and each write takes it for its transaction too: it commits with it or
   * not at all. It also fails where the head is not the one of the turn.
   */
  async #write(session: object, head: RecordHead, changes: RecordChanges): Promise<RecordHead> {
    if (this.#writer.session !== session) throw this.#noTurn();
    const seq = head.seq + 1;
    const tip = `${seq}:${randomUUID()}`;
    const text = [
      `BEGIN; SELECT pg_advisory_xact_lock(${TURN})`,
      `UPDATE dowser_head SET seq = ${seq}, tip = ${literal(tip)} WHERE tip = ${literal(head.tip)}`,
      `INSERT INTO dowser_writes VALUES (${seq}, (SELECT tip FROM dowser_head WHERE tip = ${literal(tip)}), now())`,
      writeChanges(seq, changes),
      `SELECT pg_notify(${CHANNEL}, '${this.#node}'); COMMIT`,
    ];
    try {
      await this.#writer.query(text.join(';\n'), undefined, { session, timeoutMs: WRITE_MS });
    } catch (error) {
      // With an answer of the server, it did not commit.
      if (!isRefused(error)) {
        this.#writer.drop();
        throw unknownCommit(error, this.address);
      }
      await this.#writer.query('ROLLBACK', undefined, { session }).catch(() => this.#writer.drop());
      throw error;
    }
    return { ...head, seq, tip };
  }

  #noTurn(): DowserError {
    const message = `The record at ${this.address} gave this node no turn to write.`;
    return new DowserError('RECORD_UNAVAILABLE', message, { hint: 'Nothing of this write was stored. Try again.' });
  }
}

const isRefused = (error: unknown): boolean => error instanceof DowserError && isServerError(error.cause);

/** Rows that one statement deletes: no poll waits for long. */
const ROWS_AT_ONCE = 5_000;

/** Rows that only say that something is gone. */
const GONE = [
  ['dowser_entities', 'json IS NULL'],
  ['dowser_annotations', 'value IS NULL'],
  ['dowser_vectors', 'vector IS NULL'],
  ['dowser_edges', 'is_deleted'],
] as const;

/** Comes first, so that no reader counts on what is deleted next. */
const moveHorizon = ({ ageMs, writes }: Horizon): string =>
  `UPDATE dowser_head SET purged = greatest(purged, seq - ${writes},
    (SELECT max(seq) FROM dowser_writes WHERE at < now() - interval '1 millisecond' * ${ageMs})) RETURNING purged`;

/** Each is asked again until it deletes nothing. The tip of the last forgotten write is kept: a copy may stand there. */
function purgeSteps(purged: number): readonly string[] {
  const some = (table: string, where: string) =>
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT ${ROWS_AT_ONCE})) RETURNING 1 AS gone`;
  return [
    some('dowser_writes', `seq < ${purged}`),
    ...GONE.map(([table, isGone]) => some(table, `${isGone} AND seq <= ${purged}`)),
  ];
}
