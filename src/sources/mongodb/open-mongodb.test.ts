import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../source.ts';
import { serverSource } from './open-mongodb.ts';

const context = { env: {}, limits: DEFAULT_LIMITS, version: '0' };

it('has references in place of the password, wherever it shows the address', () => {
  const url = 'mongodb://ada:hush1234@one:27017,two:27017/mcp_registry?tls=true&tlsCertificateKeyFilePassword=hush5678';
  const { locator, title } = serverSource({ url }, context, 'prod');
  expect(locator).toEqual({ url: title, registry_namespace: 'prod' });
  expect(title).toMatch(/^mongodb:\/\/\$\{URL_USER\}:\$\{URL_PASSWORD\}@one:27017,two:27017\/mcp_registry\?tls=true&/);
  expect(title).not.toContain('hush');
});
