import { expect, it } from 'vitest';
import { tellingLines } from './telling-lines.ts';

const LOG = 'A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log';

it.each([
  [
    'a package that does not exist',
    [
      'npm http fetch GET 404 http://127.0.0.1/@scope%2fnosuch 5ms',
      'npm error code E404',
      'npm error 404 Not Found - GET http://127.0.0.1/@scope%2fnosuch',
      'npm error 404',
      "npm error 404  The requested resource '@scope/nosuch@*' could not be found.",
      `npm error ${LOG}`,
    ],
    "npm error code E404 npm error 404 Not Found - GET http://127.0.0.1/@scope%2fnosuch npm error 404 The requested resource '@scope/nosuch@*' could not be found.",
  ],
  [
    'a package that is not cached, told by an older npm',
    [
      'npm ERR! code ENOTCACHED',
      'npm ERR! request to http://127.0.0.1/a failed: no cached response.',
      '',
      'npm ERR! A complete log of this run can be found in:',
      'npm ERR!     /home/me/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log',
    ],
    'npm ERR! code ENOTCACHED npm ERR! request to http://127.0.0.1/a failed: no cached response.',
  ],
  [
    'a failure without a code',
    ['npm warn old lockfile', 'npm error could not determine executable to run', `npm error ${LOG}`],
    'npm error could not determine executable to run',
  ],
  [
    'a program that npm ran',
    ['listening', 'Error: no API key', '    at main (server.js:1:1)', 'Set API_KEY.'],
    'Error: no API key Set API_KEY.',
  ],
  [
    'a script of npm',
    ['npm ERR! code ELIFECYCLE', 'Error: no API key', '', 'Set API_KEY.'],
    'Error: no API key Set API_KEY.',
  ],
  ['no error at all', ['1', '2', '3', '4', '5', '6'], '2 3 4 5 6'],
  ['nothing', [], ''],
])('shows the cause of %s', (_, lines, told) => {
  expect(tellingLines(lines.join('\n'))).toBe(told);
});
