import { DowserError } from '../../../model/errors/errors.ts';
import type { Session } from './connection.ts';

export interface TableStep {
  readonly version: number;
  readonly what: string;
  readonly sql: string;
}

export const NEW_EPOCH = 'left(md5(gen_random_uuid()::text), 12)';

/** Append only: a step that has been released never changes. Ids are compared by code point. */
export const TABLE_STEPS: readonly TableStep[] = [
  {
    version: 1,
    what: 'The head, entities with their units, annotations, vectors and edges. Each row has the number of its last write.',
    sql: `
      CREATE TABLE dowser_head (
        id text NOT NULL,
        seq bigint NOT NULL,
        served text,
        served_dimensions bigint,
        building text,
        building_dimensions bigint
      );
      INSERT INTO dowser_head (id, seq) VALUES (gen_random_uuid()::text, 0);
      CREATE TABLE dowser_entities (
        id text COLLATE "C" PRIMARY KEY,
        seq bigint NOT NULL,
        created_at text NOT NULL,
        updated_at text NOT NULL,
        json text,
        units text
      );
      CREATE INDEX dowser_entities_by_seq ON dowser_entities (seq);
      CREATE TABLE dowser_annotations (
        entity text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        seq bigint NOT NULL,
        value text,
        PRIMARY KEY (entity, key)
      );
      CREATE INDEX dowser_annotations_by_seq ON dowser_annotations (seq);
      CREATE TABLE dowser_vectors (
        unit text COLLATE "C" NOT NULL,
        embedder text COLLATE "C" NOT NULL,
        entity text COLLATE "C" NOT NULL,
        seq bigint NOT NULL,
        text_hash text NOT NULL,
        vector bytea,
        PRIMARY KEY (unit, embedder)
      );
      CREATE INDEX dowser_vectors_by_seq ON dowser_vectors (seq);
      CREATE INDEX dowser_vectors_by_entity ON dowser_vectors (entity);
      CREATE TABLE dowser_edges (
        source text COLLATE "C" NOT NULL,
        target text COLLATE "C" NOT NULL,
        type text COLLATE "C" NOT NULL,
        provenance text COLLATE "C" NOT NULL,
        seq bigint NOT NULL,
        is_deleted boolean NOT NULL,
        numbers text NOT NULL,
        PRIMARY KEY (source, target, type, provenance)
      );
      CREATE INDEX dowser_edges_by_seq ON dowser_edges (seq);
    `,
  },
  {
    version: 2,
    what: 'The last run that re-embeds everything, as JSON.',
    sql: 'ALTER TABLE dowser_head ADD COLUMN reindex text',
  },
  {
    version: 3,
    what: 'The tips of the writes, the epoch, and what is purged. The check refuses writes of a Dowser that knows no tips.',
    sql: `
      CREATE TABLE dowser_writes (
        seq bigint PRIMARY KEY,
        tip text NOT NULL,
        at timestamptz NOT NULL
      );
      ALTER TABLE dowser_head ADD COLUMN epoch text;
      ALTER TABLE dowser_head ADD COLUMN tip text;
      ALTER TABLE dowser_head ADD COLUMN purged bigint NOT NULL DEFAULT 0;
      UPDATE dowser_head SET epoch = ${NEW_EPOCH}, tip = seq || ':' || gen_random_uuid();
      INSERT INTO dowser_writes SELECT seq, tip, now() FROM dowser_head;
      ALTER TABLE dowser_head ALTER COLUMN epoch SET NOT NULL;
      ALTER TABLE dowser_head ALTER COLUMN tip SET NOT NULL;
      ALTER TABLE dowser_head ADD CHECK (starts_with(tip, seq || ':'));
    `,
  },
  {
    version: 4,
    what: 'Finds what was deleted, so that it can be forgotten.',
    sql: `
      CREATE INDEX dowser_entities_gone ON dowser_entities (seq) WHERE json IS NULL;
      CREATE INDEX dowser_annotations_gone ON dowser_annotations (seq) WHERE value IS NULL;
      CREATE INDEX dowser_vectors_gone ON dowser_vectors (seq) WHERE vector IS NULL;
      CREATE INDEX dowser_edges_gone ON dowser_edges (seq) WHERE is_deleted
    `,
  },
  {
    version: 5,
    what: 'API keys, by their hashes, and what names all of them. Two nodes may have given one name before they shared them.',
    sql: `
      CREATE TABLE dowser_keys (
        hash text COLLATE "C" PRIMARY KEY,
        id text NOT NULL,
        name text NOT NULL,
        groups text NOT NULL,
        scopes text NOT NULL,
        servers text,
        created_at text NOT NULL,
        expires_at text,
        revoked_at text
      );
      ALTER TABLE dowser_head ADD COLUMN keys text NOT NULL DEFAULT ''
    `,
  },
];

/** One turn over all nodes that share a schema of a database. The tables change in a turn: no write of an older Dowser is under way. */
export const TURN = "hashtext('dowser turn'), hashtext(current_schema())";

/** The tables as this Dowser knows them. */
export class Tables {
  readonly #address: string;
  readonly #steps: readonly TableStep[];

  constructor(address: string, steps: readonly TableStep[] = TABLE_STEPS) {
    this.#address = address;
    this.#steps = steps;
  }

  get #newest(): number {
    return this.#steps.at(-1)?.version ?? 0;
  }

  /** Brings them up to date, one node at a time. `mayCreate`: also where there are none. Throws STORE_TOO_NEW. */
  async update(session: Session, mayCreate: boolean): Promise<void> {
    if ((await this.#versionIn(session)) === this.#newest) return;
    await session.query('BEGIN');
    try {
      await session.query(`SELECT pg_advisory_xact_lock(${TURN})`);
      const version = await this.#versionIn(session);
      if (version === 0 && !mayCreate) throw this.#unusable('its tables are gone');
      if (version === 0) await session.query('CREATE TABLE dowser_version (version bigint NOT NULL)');
      for (const step of this.#steps) if (step.version > version) await runAll(session, step.sql);
      await session.query('DELETE FROM dowser_version');
      await session.query('INSERT INTO dowser_version VALUES ($1)', [this.#newest]);
      await session.query('COMMIT');
    } catch (error) {
      await session.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  /** Throws unless the tables are of this version. */
  check(found: unknown): void {
    const version = Number(found);
    if (version === this.#newest) return;
    if (version > this.#newest) throw this.#tooNew(version);
    throw this.#unusable('its tables are of an older Dowser');
  }

  /** 0 for a database without our tables. */
  async #versionIn(session: Session): Promise<number> {
    // Not to_regclass: its cache may still say that there is no table when another node has just made it.
    const [table] = await session.query<{ exists: boolean }>(
      "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'dowser_version') AS exists",
    );
    if (table?.exists !== true) return 0;
    const [found] = await session.query<{ version: string }>('SELECT version FROM dowser_version');
    const version = Number(found?.version ?? 0);
    if (version > this.#newest) throw this.#tooNew(version);
    return version;
  }

  #tooNew(version: number): DowserError {
    const message = `The record at ${this.#address} has version ${version}; this Dowser reads up to version ${this.#newest}.`;
    return new DowserError('STORE_TOO_NEW', message, { hint: 'Update Dowser on this node.' });
  }

  #unusable(reason: string): DowserError {
    return new DowserError('RECORD_UNAVAILABLE', `The record at ${this.#address} cannot be used: ${reason}.`, {
      hint: 'Was it restored from a backup? Dowser tries again.',
    });
  }
}

async function runAll(session: Session, sql: string): Promise<void> {
  for (const statement of sql.split(';')) if (statement.trim() !== '') await session.query(statement);
}
