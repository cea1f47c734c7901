import { describe, expect, it } from 'vitest';
import { needsCredentials } from './auth-mode.ts';

const HERE = {
  host: '127.0.0.1',
  allowed_hosts: [],
  allowed_origins: [],
  allow_remote_writes: false,
  open_access: false,
};
const ALL_ADDRESSES = { ...HERE, host: '0.0.0.0' };
const BEHIND_A_PROXY = { ...HERE, public_url: 'https://tools.example.com' };

describe('credentials', () => {
  it.each([
    ['on this machine', HERE, false],
    ['on this machine with auth', { ...HERE, auth: true }, true],
    ['on all addresses', ALL_ADDRESSES, true],
    ['behind a proxy', BEHIND_A_PROXY, true],
    ['on all addresses, opened on purpose', { ...ALL_ADDRESSES, open_access: true }, false],
    ['on all addresses, opened on purpose with auth off', { ...ALL_ADDRESSES, open_access: true, auth: false }, false],
  ])('%s', (_, settings, isNeeded) => {
    expect(needsCredentials(settings)).toBe(isNeeded);
  });

  it.each([
    ['auth', { ...ALL_ADDRESSES, auth: false }],
    ['auth', { ...BEHIND_A_PROXY, auth: false }],
    ['open_access', { ...ALL_ADDRESSES, auth: true, open_access: true }],
  ])('are not left to settings that contradict each other (%s)', (field, settings) => {
    expect(() => needsCredentials(settings)).toThrow(expect.objectContaining({ code: 'INVALID_SETTING', field }));
  });
});
