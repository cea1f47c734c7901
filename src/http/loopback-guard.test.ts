import { describe, expect, it } from 'vitest';
import { checkLoopbackRequest, isLoopbackName } from './loopback-guard.ts';

describe('isLoopbackName', () => {
  it.each(['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]', '::ffff:127.0.0.1'])(
    'knows %s',
    (name) => {
      expect(isLoopbackName(name)).toBe(true);
    },
  );

  it.each(['0.0.0.0', '::', '128.0.0.1', 'localhost.evil.test', '127.0.0.1.evil.test', 'evil.test', '', '10.0.0.1'])(
    'does not take %j for one',
    (name) => {
      expect(isLoopbackName(name)).toBe(false);
    },
  );
});

describe('checkLoopbackRequest', () => {
  const check = (method: string, headers: Record<string, string>) => () =>
    checkLoopbackRequest(method, new Headers(headers));

  it.each([
    ['POST', { host: 'localhost:7470' }],
    ['POST', { host: '127.0.0.1:7470', origin: 'http://localhost:3000' }],
    ['PUT', { host: '[::1]:7470', origin: 'http://[::1]:7470' }],
    ['GET', { host: 'localhost', origin: 'https://elsewhere.test' }],
  ])('lets %s with %j through', (method, headers) => {
    expect(check(method, headers)).not.toThrow();
  });

  it.each([
    ['GET', { host: 'evil.test' }, 'Host'],
    ['GET', {}, 'Host'],
    ['GET', { host: 'localhost@evil.test' }, 'Host'],
    ['POST', { host: 'localhost', origin: 'https://elsewhere.test' }, 'Origin'],
    ['POST', { host: 'localhost', origin: 'null' }, 'Origin'],
    ['DELETE', { host: 'localhost', origin: 'http://localhost.evil.test' }, 'Origin'],
  ])('stops %s with %j', (method, headers, field) => {
    expect(check(method, headers as Record<string, string>)).toThrow(expect.objectContaining({ field }));
  });
});
