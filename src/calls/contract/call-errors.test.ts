import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../model/errors/errors.ts';
import { CALL_CODES, callError } from './call-errors.ts';

const calls = join(import.meta.dirname, '..');
const docs = readFileSync(join(calls, '../../docs/calls.md'), 'utf8');
const tests = readdirSync(calls, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.endsWith('call-errors.test.ts'))
  .map((name) => readFileSync(join(calls, name), 'utf8'))
  .join('\n');

it.each(CALL_CODES)('%s is in docs/calls.md, and a test here gets it from a call', (code) => {
  expect(docs).toContain(`\`${code}\``);
  expect(tests).toMatch(new RegExp(`code(\\(|: )'${code}'`));
});

it('a code whose call can be repeated exits with 10, and no other one does', () => {
  const retryable = CALL_CODES.filter((code) => callError(code, '', '').details?.retryable === true);
  expect(CALL_CODES.filter((code) => ERROR_CODES[code].exit === 10)).toEqual(retryable);
});

it('there are 16', () => {
  expect(CALL_CODES).toHaveLength(16);
});
