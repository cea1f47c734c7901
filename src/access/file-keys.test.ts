import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileKeys } from './file-keys.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const NEW_KEY = { name: 'ci', groups: ['payments'], scopes: ['read'], expiresAt: null } as const;

let dir: string;
let keys: FileKeys;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dowser-keys-'));
  keys = new FileKeys(dir);
});
afterEach(() => {
  keys.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('the keys of a data folder', () => {
  it('are found by the whole hash, not by the part that is indexed', () => {
    const { key, stored } = keys.create(NEW_KEY, NOW);
    expect(keys.find(key)).toEqual(stored);
    const database = new DatabaseSync(join(dir, 'keys.sqlite'));
    database.exec("UPDATE keys SET hash = substr(hash, 1, 63) || CASE substr(hash, 64) WHEN '0' THEN '1' ELSE '0' END");
    database.close();
    expect(keys.find(key)).toBeUndefined();
  });

  it('are in a file of the user alone, also if it was open to others', () => {
    const file = join(dir, 'keys.sqlite');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    keys.create(NEW_KEY, NOW);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('create no file by being read', () => {
    expect(keys.find(`dwsr_${'A'.repeat(49)}`)).toBeUndefined();
    expect(keys.list()).toEqual([]);
    expect(() => statSync(join(dir, 'keys.sqlite'))).toThrow('ENOENT');
  });
});
