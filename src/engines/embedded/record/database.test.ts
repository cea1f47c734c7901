import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/engine-fixtures.ts';
import { DowserError } from '../../../model/errors/errors.ts';
import { Database, toStoreError } from './database.ts';

it.each([
  [{ errcode: 13 }, 'STORE_FULL'],
  [{ errcode: 778, systemErrno: 28 }, 'STORE_FULL'],
  [{ code: 'ENOSPC' }, 'STORE_FULL'],
  [{ errcode: 11 }, 'STORE_CORRUPT'],
  [{ errcode: 267 }, 'STORE_CORRUPT'],
  [{ errcode: 26 }, 'STORE_CORRUPT'],
  [{ errcode: 5 }, 'STORE_LOCKED'],
  [{ errcode: 6 }, 'STORE_LOCKED'],
  [{ errcode: 8 }, 'ENGINE_UNAVAILABLE'],
  [{ errcode: 266 }, 'ENGINE_UNAVAILABLE'],
  [{ code: 'EACCES' }, 'ENGINE_UNAVAILABLE'],
])('names what went wrong: %j is %s', (details, code) => {
  const cause = Object.assign(new Error('as SQLite says it'), details);
  const error = toStoreError(cause, '/data/dowser.sqlite');
  expect(error).toMatchObject({ code, cause, message: expect.stringContaining('/data/dowser.sqlite') });
  expect((error as DowserError).hint).toBeTruthy();
});

it('lets through what is not about the store', () => {
  const defect = new TypeError('x is not a function');
  expect(toStoreError(defect, 'f')).toBe(defect);
  const own = new DowserError('NOT_FOUND', 'No.');
  expect(toStoreError(own, 'f')).toBe(own);
});

it('undoes a transaction that fails, and can begin another', () => {
  const database = new Database(':memory:');
  database.exec('CREATE TABLE t (a INTEGER)');
  const add = database.prepare('INSERT INTO t VALUES (?)');
  expect(() =>
    database.transaction(() => {
      add.run(1);
      throw new Error('half way');
    }),
  ).toThrow('half way');
  expect(database.transaction(() => add.run(2))).toBe(1);
  expect([...database.prepare('SELECT a FROM t').iterate()]).toEqual([{ a: 2 }]);
  database.close();
  database.close();
});

it('flushes the log before a large commit, and shows the commit with `onCommit`', () => {
  const folder = temporaryFolder();
  const database = new Database(join(folder.path, 'a.sqlite'));
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('CREATE TABLE t (a INTEGER)');
  const steps: string[] = [];
  const flush = async () => {
    steps.push('flush');
  };
  database.observer = { flush, *committed() {}, runIn() {}, closing() {} };
  const seen = () => database.beside.prepare('SELECT count(*) AS rows FROM t').get<{ rows: number }>()!.rows;
  const add = database.prepare('INSERT INTO t VALUES (?)');
  const write = database.slicedTransaction(
    function* () {
      add.run(1);
      yield;
      add.run(2);
    },
    () => steps.push('shown'),
  );
  for (const _ of write) steps.push(`${seen()} rows, ${database.isBetweenSlices ? 'beside' : 'here'}`);
  expect(steps).toEqual(['0 rows, beside', 'flush', '0 rows, beside', '0 rows, beside', 'shown']);
  expect(seen()).toBe(2);
  database.close();
  folder.remove();
});

it('lets go of what it showed before if a large commit fails', () => {
  const folder = temporaryFolder();
  const database = new Database(join(folder.path, 'a.sqlite'));
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('CREATE TABLE p (a INTEGER PRIMARY KEY)');
  database.exec('CREATE TABLE t (a INTEGER REFERENCES p (a) DEFERRABLE INITIALLY DEFERRED)');
  const add = database.prepare('INSERT INTO t VALUES (?)');
  const bad = database.slicedTransaction(function* () {
    yield;
    add.run(1);
  });
  expect(() => [...bad]).toThrow('FOREIGN KEY');
  database.exec('INSERT INTO p VALUES (1)');
  expect(database.beside.prepare('SELECT count(*) AS rows FROM p').get()).toEqual({ rows: 1 });
  database.close();
  folder.remove();
});

it('names a page that is damaged in the middle of a result', () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'a.sqlite');
  const written = new Database(file);
  written.exec('CREATE TABLE t (a TEXT)');
  const add = written.prepare('INSERT INTO t VALUES (?)');
  for (let row = 0; row < 200; row++) add.run('a'.repeat(1000));
  written.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0, bytes.length / 2, bytes.length / 2 + 8192));
  const database = new Database(file);
  const select = database.prepare('SELECT a FROM t');
  for (const read of [() => [...select.iterate()], () => select.all()]) {
    expect(read).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }));
  }
  database.close();
  folder.remove();
});
