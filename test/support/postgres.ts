import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ensurePostgres, startPostgres, type TestServer } from '../../scripts/servers.mjs';

/** A real PostgreSQL for a test file; null, said loudly, where none can be had. Remove it at the end. */
export async function usePostgres(): Promise<TestServer | null> {
  const installed = ensurePostgres();
  if (!('missing' in installed)) return startPostgres(installed);
  process.stderr.write(`\nNO POSTGRESQL: ${installed.missing}. Shared records are not tested.\n`);
  return null;
}

/** The address of an empty schema of its own. */
export async function newSchema(server: TestServer): Promise<string> {
  const schema = `t${randomBytes(6).toString('hex')}`;
  await ask(server.url, `CREATE SCHEMA ${schema}`);
  return `${server.url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

export async function ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Ends the sessions of all nodes, as a server does that shuts down. Returns once it has: no event is handled meanwhile. */
export function terminateSessions(url: string): void {
  const script = `import pg from 'pg';
    const client = new pg.Client({ connectionString: process.argv[1] });
    await client.connect();
    await client.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'dowser'");
    await client.end();`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script, url]);
}

/** Keeps a copy of all tables of a schema. Returns what puts it back, in one transaction, as a restored backup does. */
export async function backUpSchema(url: string): Promise<() => Promise<void>> {
  const schema = decodeURIComponent(url).split('search_path=')[1];
  const rows = await ask(url, `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`);
  const tables = rows.map(({ tablename }) => String(tablename));
  const backup = `b${randomBytes(6).toString('hex')}`;
  const copies = tables.map((table) => `CREATE TABLE ${backup}.${table} AS TABLE ${table}`);
  await ask(url, ['BEGIN', `CREATE SCHEMA ${backup}`, ...copies, 'COMMIT'].join(';'));
  const fill = tables.map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM ${backup}.${table}`);
  return async () => {
    await ask(url, ['BEGIN', ...fill, 'COMMIT'].join(';'));
  };
}
