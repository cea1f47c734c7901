import { describe, expect, it } from 'vitest';
import { parseArguments } from '../run.ts';
import { toSourceRequests } from './source-requests.ts';

const requests = (...argv: string[]) => {
  return toSourceRequests(parseArguments(['add', ...argv]));
};
const plain = { env: {}, headers: {} };

describe('toSourceRequests', () => {
  it.each([
    [
      ['a.json', 'https://b.example'],
      [
        { ...plain, what: 'a.json' },
        { ...plain, what: 'https://b.example' },
      ],
    ],
    [['--', 'npx', '-y', 'x', '--json'], [{ ...plain, command: ['npx', '-y', 'x', '--json'] }]],
    [['mcp', '--json', '--', 'npx', 'x'], [{ ...plain, kind: 'mcp', command: ['npx', 'x'] }]],
    [['a2a', 'https://b.example'], [{ ...plain, kind: 'a2a', what: 'https://b.example' }]],
    [['skill'], [{ ...plain, what: 'skill' }]],
    [['--kind', 'ard', '--name', 'N', 'x'], [{ ...plain, kind: 'ard', name: 'N', what: 'x' }]],
    [
      ['--env', 'A', '--env', 'B=b=c', '--header', 'X-Y: z: w', '--', 'x'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of this process is passed on as a reference.
      [{ env: { A: '${A}', B: 'b=c' }, headers: { 'X-Y': 'z: w' }, command: ['x'] }],
    ],
  ])('of %j', (argv, expected) => expect(requests(...argv)).toEqual(expected));

  it.each([
    [[], 'nothing to add'],
    [['--kind', 'gadget', 'x'], '--kind is "gadget"'],
    [['x', '--', 'y'], '"x" and a command cannot be read at once'],
    [['--env', '=hush-hush', '--', 'x'], '--env must be NAME or NAME=value'],
    [['--header', 'hush-hush', 'x'], "--header must be 'Name: value'"],
  ])('refuses %j, without repeating what may be a secret', (argv, message) => {
    expect(() => requests(...argv)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining(message) }),
    );
    expect(() => requests(...argv)).not.toThrow(/hush-hush/);
  });
});
