import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DowserError } from '../model/errors/errors.ts';
import { AuditLog, auditFolder } from './audit-log.ts';
import type { AuditRecord } from './audit-record.ts';
import { readAudit } from './read-audit.ts';

let dir: string;
const logs: AuditLog[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dowser-audit-'));
});
afterEach(() => {
  for (const log of logs.splice(0)) log.close();
  rmSync(dir, { recursive: true });
});

function open(maxBytes = 1_000_000, keep = 3): AuditLog {
  const log = new AuditLog({ dir, maxBytes, keep });
  logs.push(log);
  return log;
}

let count = 0;
const record = (fields: Partial<AuditRecord> = {}): AuditRecord => {
  count += 1;
  const at = new Date(count * 1000).toISOString();
  const request = `r${count}`;
  return { at, request, who: 'ada', from: null, action: 'put', ids: [], ids_total: 0, result: 'done', ...fields };
};
const current = () => join(auditFolder(dir), 'audit.jsonl');
const read = (query: Partial<Parameters<typeof readAudit>[1]> = {}) => readAudit(dir, { limit: 100, ...query });

it('appends records to a private file in a private folder, whatever the umask', async () => {
  const before = process.umask(0);
  try {
    open().append(record());
  } finally {
    process.umask(before);
  }
  expect(statSync(current()).mode & 0o777).toBe(0o600);
  expect(statSync(auditFolder(dir)).mode & 0o777).toBe(0o700);
  open().append(record());
  expect(await read()).toHaveLength(2);
});

it('begins a new file when one is full, and keeps the newest', async () => {
  const log = open(1000, 2);
  const all = Array.from({ length: 40 }, () => record());
  for (const one of all) log.append(one);
  const files = readdirSync(auditFolder(dir));
  expect(files.filter((name) => name !== 'audit.jsonl')).toHaveLength(2);
  for (const name of files) expect(statSync(join(auditFolder(dir), name)).size).toBeLessThanOrEqual(1000);
  const found = await read();
  expect(found).toEqual(all.slice(-found.length).reverse());
  expect(found.length).toBeGreaterThan(10);
});

it('keeps the order of files that were closed in one millisecond, and after the clock went back', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
  try {
    const log = open(200, 2);
    const all = Array.from({ length: 12 }, () => record());
    for (const [n, one] of all.entries()) {
      if (n === 6) vi.setSystemTime(0);
      log.append(one);
    }
    expect(await read()).toEqual(all.slice(-3).reverse());
  } finally {
    vi.useRealTimers();
  }
});

it('lists the newest that match first, without the starts of what has ended', async () => {
  const log = open();
  for (const [who, request, result] of [
    ['ada', 'a', 'started'],
    ['bob', 'b', 'started'],
    ['ada', 'a', 'done'],
    ['bob', 'c', 'FORBIDDEN'],
  ] as const)
    log.append(record({ who, request, result }));
  const shown = async (query: Parameters<typeof read>[0]) =>
    (await read(query)).map(({ request, result }) => `${request} ${result}`);
  expect(await shown({})).toEqual(['c FORBIDDEN', 'a done', 'b started']);
  expect(await shown({ who: 'bob' })).toEqual(['c FORBIDDEN', 'b started']);
  expect(await shown({ result: 'done' })).toEqual(['a done']);
  expect(await shown({ limit: 1 })).toEqual(['c FORBIDDEN']);
  const [newest] = await read({ limit: 1 });
  expect(await shown({ since: newest!.at })).toEqual(['c FORBIDDEN']);
});

it('shows a start whose request id somebody else has used again', async () => {
  const log = open();
  log.append(record({ who: 'ada', request: 'a', result: 'started' }));
  log.append(record({ who: 'eve', request: 'a', result: 'done' }));
  expect((await read()).map(({ who, result }) => `${who} ${result}`)).toEqual(['eve done', 'ada started']);
});

it('skips a line that a crash cut short', async () => {
  open().append(record({ request: 'whole' }));
  writeFileSync(current(), `${readFileSync(current(), 'utf8')}{"at": "2026\n{"at":1}\nnull\n`);
  open().append(record({ request: 'after' }));
  expect((await read()).map(({ request }) => request)).toEqual(['after', 'whole']);
});

it('begins again where its file was deleted', async () => {
  const log = open();
  log.append(record());
  rmSync(auditFolder(dir), { recursive: true });
  log.append(record({ request: 'again' }));
  expect((await read()).map(({ request }) => request)).toEqual(['again']);
});

it('has no records where there is no log', async () => {
  expect(await read()).toEqual([]);
});

/** A log whose disk is full, and one whose folder cannot be made. */
function fill(): () => void {
  if (!existsSync('/dev/full')) {
    writeFileSync(auditFolder(dir), '');
    return () => rmSync(auditFolder(dir));
  }
  mkdirSync(auditFolder(dir));
  symlinkSync('/dev/full', current());
  return () => rmSync(current());
}

it('refuses what cannot be recorded, and keeps the results of what was done for later', async () => {
  const empty = fill();
  const log = open();
  const failure = () => {
    try {
      log.append(record());
      return undefined;
    } catch (thrown) {
      return (thrown as DowserError).code;
    }
  };
  expect(failure()).toBe('AUDIT_UNAVAILABLE');
  log.appendLater(record({ request: 'late' }));
  expect(failure()).toBe('AUDIT_UNAVAILABLE');
  empty();
  log.append(record({ request: 'next' }));
  expect((await read()).map(({ request }) => request)).toEqual(['next', 'late']);
});
