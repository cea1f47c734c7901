import { expect, it } from 'vitest';
import { withoutSecrets } from './without-secrets.ts';

it.each<[unknown, unknown, readonly string[]]>([
  ['Call it with sk-live-1abc4567890xyz.', 'Call it with [redacted]', ['']],
  ['A task-manager for sk-learn.', 'A task-manager for sk-learn.', []],
  ['Send Authorization: Bearer abcdefghijklmnop1234', 'Send Authorization: Bearer [redacted]', ['']],
  ['See https://me:pass@host/x or https://host/x', 'See https://[redacted]@host/x or https://host/x', ['']],
  [{ api_key: 'x', port: 80, pass: 1 }, { port: 80 }, ['api_key', 'pass']],
  [{ db: [{ password: 'x', name: 'y' }] }, { db: [{ name: 'y' }] }, ['db.password']],
  [{ API_KEY: `\${API_KEY}`, token: '' }, { API_KEY: `\${API_KEY}`, token: '' }, []],
  [{ credentials: { user: 'u', value: 'v' }, tokens: 5, token: ['t'] }, { tokens: 5 }, ['credentials', 'token']],
  [{ main: { type: 'http', scheme: 'bearer' } }, { main: { type: 'http', scheme: 'bearer' } }, []],
])('%j', (value, expected, removed) => {
  expect(withoutSecrets(value)).toEqual({ value: expected, removed });
});

it('keeps parameters of a schema that are called like secrets', () => {
  const schema = { properties: { token: { type: 'string', default: 'ghp_abcdefghijkl12345' } }, required: ['token'] };
  const { value } = withoutSecrets(schema, 'parameters');
  expect(value).toEqual({ properties: { token: { type: 'string', default: '[redacted]' } }, required: ['token'] });
});

it('keeps security schemes that are called like secrets, without the secrets in them', () => {
  const schemes = { bearer: { type: 'http', token: 'x' }, token: 'y' };
  expect(withoutSecrets(schemes, 'schemes')).toEqual({
    value: { bearer: { type: 'http' } },
    removed: ['bearer.token', 'token'],
  });
});
