import { expect, it } from 'vitest';
import { DowserError } from '../../../model/errors.ts';
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
