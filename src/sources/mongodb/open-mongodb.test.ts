import { expect, it } from 'vitest';
import { toDowserError } from '../../model/errors/errors.ts';
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

it('neither stores nor shows a password with marks of an address', async () => {
  for (const url of ['mongodb://ada:hu/sh1234@127.0.0.1:1/x', 'mongodb+srv://ada:x@hu#sh1234@one/x']) {
    const source = serverSource({ url }, context);
    const read = source.read(new AbortController().signal)[Symbol.asyncIterator]().next();
    const error = toDowserError(await read.catch((thrown: unknown) => thrown));
    expect(error.message).toContain('cannot be understood');
    expect(JSON.stringify([source.locator, source.title, error, error.message])).not.toMatch(/hu.?sh|ada/);
  }
});
