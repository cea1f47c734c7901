import { afterAll, expect, it, onTestFinished } from 'vitest';
import { PostgresConnection } from '../../../src/engines/shared/postgres/connection.ts';
import { parsePostgresAddress } from '../../../src/engines/shared/postgres/postgres-address.ts';
import { isServerError } from '../../../src/engines/shared/postgres/record-errors.ts';
import { terminateSessions, usePostgres } from '../../support/postgres.ts';

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

if (postgres === null) {
  it('has a PostgreSQL to test with, where CI runs', () => {
    expect(process.env.CI ?? '').toBe('');
  });
} else {
  const connect = () => {
    const connection = new PostgresConnection(parsePostgresAddress(postgres.url));
    onTestFinished(() => connection.close());
    return connection;
  };
  const one = 'SELECT 1 AS one';

  it('asks a new session what was asked behind a last query that failed', async () => {
    const connection = connect();
    await connection.query(one);
    const before = connection.session;
    connection.end('SELECT 1 / 0', before);
    expect(await connection.query(one)).toEqual([{ one: 1 }]);
    expect(connection.session).not.toBe(before);
  });

  it('leaves a newer session alone when a query of an older one comes late', async () => {
    const connection = connect();
    await connection.query(one);
    const before = connection.session;
    connection.drop();
    await connection.query(one);
    const after = connection.session;
    await expect(connection.query(one, undefined, { session: before })).rejects.toMatchObject({
      code: 'RECORD_UNAVAILABLE',
    });
    connection.end(one, before);
    expect(await connection.query(one, undefined, { session: after })).toEqual([{ one: 1 }]);
  });

  it('takes an error with which the server ends the session for a lost connection', async () => {
    const connection = connect();
    await connection.query(one);
    terminateSessions(postgres.url);
    const lost: unknown = await connection.query(one).catch((error: unknown) => error);
    expect(lost).toMatchObject({ code: 'RECORD_UNAVAILABLE', cause: { severity: 'FATAL' } });
    expect(isServerError((lost as Error).cause)).toBe(false);
    expect(connection.session).toBeNull();
    const refused: unknown = await connection.query('SELECT 1 / 0').catch((error: unknown) => error);
    expect(isServerError((refused as Error).cause)).toBe(true);
    expect(connection.session).not.toBeNull();
  });
}
