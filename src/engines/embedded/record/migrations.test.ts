import { expect, it } from 'vitest';
import { parseEntity } from '../../../model/entity.ts';
import { entityFacts } from '../../../model/query/filter.ts';
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

it('gives stored facts the facets that entities of before could have', () => {
  const database = new Database(':memory:');
  migrate(database, MIGRATIONS.slice(0, 6));
  const entities = [
    parseEntity({
      type: 'package',
      path: '/p',
      name: 'p',
      language: 'Rust',
      languages: ['rust', 'C'],
      category: ' Web ',
      license: 'MIT',
      deployment: ['library', 'Cloud'],
    }).entity,
    parseEntity({ type: 'mcp_server', path: '/s', name: 's', deployment: 'local' }).entity,
    parseEntity({ type: 'skill', path: '/k', name: 'k' }).entity,
  ];
  const add = database.prepare("INSERT INTO entities VALUES (?, ?, 1, '', '', '{\"tags\":[]}', ?)");
  for (const [no, entity] of entities.entries()) add.run(no + 1, entity.path, JSON.stringify(entity));
  migrate(database);
  const stored = Array.from(database.prepare('SELECT facts FROM entities ORDER BY no').iterate<{ facts: string }>());
  expect(stored.map(({ facts }) => JSON.parse(facts).facets.sort())).toEqual(
    entities.map((entity) => [...entityFacts(entity).facets].sort()),
  );
  database.close();
});

it('gives stored memories their type and certainty as facts, and leaves other entities alone', () => {
  const database = new Database(':memory:');
  migrate(database, MIGRATIONS.slice(0, 4));
  const put = (no: number, id: string, json: object) =>
    database.exec(
      `INSERT INTO entities VALUES (${no}, '${id}', 1, 't', 't', '{"status":"active"}', '${JSON.stringify(json)}')`,
    );
  put(1, 'memory:/a', { memory_type: ' Decision ', certainty: 0.4 });
  put(2, 'memory:/b', {});
  put(3, 'skill:/c', { memory_type: 'x' });
  migrate(database);
  const facts = [...database.prepare('SELECT facts FROM entities ORDER BY no').iterate<{ facts: string }>()];
  const none = { at: null, validFrom: null, validTo: null, successor: null, hash: null };
  expect(facts.map((row) => JSON.parse(row.facts).memory)).toEqual([
    { labels: ['type:decision'], ...none, certainty: 0.4 },
    { labels: [], ...none, certainty: null },
    undefined,
  ]);
  database.close();
});
