import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { parseArguments } from '../run.ts';
import { oneOf, settingsFor, wrongOption } from './context.ts';

const webOf = (line: string, env: NodeJS.ProcessEnv = {}) => {
  const { options } = parseArguments(line.split(' '));
  return settingsFor({ options, env: { DOWSER_DATA: tmpdir(), ...env } }).settings.web;
};

it('serves the web page unless a flag or the environment says otherwise', () => {
  expect(webOf('serve')).toBe(true);
  expect(webOf('serve --no-web')).toBe(false);
  expect(webOf('serve', { DOWSER_WEB: 'off' })).toBe(false);
  expect(webOf('search x', { DOWSER_WEB: 'off' })).toBe(false);
});

it('suggests the name that was probably meant', () => {
  expect(oneOf('get', ['list', 'show'])).toContain('Did you mean show?');
  expect(oneOf('add', ['create', 'revoke'])).toContain('Did you mean create?');
  expect(oneOf('statu', ['status', 'pull'])).toBe('Did you mean status? Use one of status, pull.');
  expect(oneOf('sing', ['status', 'pull'])).toBe('Use one of status, pull.');
});

it('tells an option that is missing from one that is empty', () => {
  expect(wrongOption('client', undefined, 'one of a, b').message).toBe('--client is missing: must be one of a, b.');
  expect(wrongOption('client', '', 'one of a, b').message).toBe('--client is "": must be one of a, b.');
});
