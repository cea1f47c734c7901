import { expect, it } from 'vitest';
import { Database } from './database.ts';
import { MIGRATIONS, migrate } from './migrations.ts';

const STEPS = [
  { version: 1, what: 'A table.', sql: 'CREATE TABLE a (x INTEGER)' },
  { version: 2, what: 'Another.', sql: 'CREATE TABLE b (x INTEGER); INSERT INTO b VALUES (7)' },
];

it('brings a database from any version to the newest, each step once', () => {
  const database = new Database(':memory:');
  migrate(database, STEPS.slice(0, 1));
  expect(database.pragma('user_version')).toBe(1);
  migrate(database, STEPS);
  migrate(database, STEPS);
  expect(database.pragma('user_version')).toBe(2);
  expect([...database.prepare('SELECT x FROM b').iterate()]).toEqual([{ x: 7 }]);
  database.close();
});

it('leaves a database as it was when a step fails', () => {
  const database = new Database(':memory:');
  const bad = { version: 2, what: 'Fails.', sql: 'CREATE TABLE b (x INTEGER); CREATE TABLE a (x INTEGER)' };
  migrate(database, STEPS.slice(0, 1));
  expect(() => migrate(database, [STEPS[0]!, bad])).toThrow('already exists');
  expect(database.pragma('user_version')).toBe(1);
  migrate(database, STEPS);
  expect(database.pragma('user_version')).toBe(2);
  database.close();
});

it('numbers its steps from 1 without gaps, and says what each does', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, i) => i + 1));
  for (const { what } of MIGRATIONS) expect(what).toMatch(/^[A-Z].*\.$/);
});
