import { describe, expect, it } from 'vitest';
import { isLoopbackName, isPublic, isReadOnlyForOthers, type Reach } from '../../access/reach.ts';
import { checkRequestSource, mayWrite } from './loopback-guard.ts';

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

type Sent = Record<string, string>;
const check = (method: string, headers: Sent, reach: Reach) => () =>
  checkRequestSource(method, new Headers(headers), reach);
const field = (name: string) => expect.objectContaining({ code: 'FORBIDDEN', field: name });

describe('a server that is bound to loopback', () => {
  const reach = { loopbackOnly: true };

  it.each<[string, Sent]>([
    ['POST', { host: 'localhost:7470' }],
    ['POST', { host: '127.0.0.1:7470', origin: 'http://localhost:7470' }],
    ['POST', { host: 'localhost:7470', 'sec-fetch-site': 'same-origin' }],
    ['GET', { host: 'localhost:7470', 'sec-fetch-site': 'cross-site' }],
    ['PUT', { host: '[::1]:7470', origin: 'http://[::1]:7470' }],
    ['GET', { host: 'localhost', origin: 'http://app.localhost' }],
    ['GET', { host: 'localhost' }],
  ])('lets %s with %j through', (method, headers) => {
    expect(check(method, headers, reach)).not.toThrow();
  });

  it.each<[string, Sent, string]>([
    ['GET', { host: 'evil.test' }, 'Host'],
    ['GET', {}, 'Host'],
    ['GET', { host: 'localhost@evil.test' }, 'Host'],
    ['POST', { host: 'localhost', origin: 'https://elsewhere.test' }, 'Origin'],
    ['POST', { host: '127.0.0.1:7470', origin: 'http://localhost:3000' }, 'Origin'],
    ['GET', { host: 'localhost:7470', origin: 'http://localhost:3000' }, 'Origin'],
    ['POST', { host: 'localhost:7470', 'sec-fetch-site': 'cross-site' }, 'Sec-Fetch-Site'],
    ['POST', { host: 'localhost:7470', 'sec-fetch-site': 'same-site' }, 'Sec-Fetch-Site'],
    ['GET', { host: '10.0.0.7:7470' }, 'Host'],
    ['POST', { host: 'localhost', origin: 'null' }, 'Origin'],
    ['DELETE', { host: 'localhost', origin: 'http://localhost.evil.test' }, 'Origin'],
    ['GET', { host: 'localhost', origin: 'https://elsewhere.test' }, 'Origin'],
    ['OPTIONS', { host: 'localhost', origin: 'https://elsewhere.test' }, 'Origin'],
  ])('stops %s with %j', (method, headers, name) => {
    expect(check(method, headers, reach)).toThrow(field(name));
  });

  it('also accepts the name of its public address, and then lets pages of other origins read', () => {
    const known = { loopbackOnly: true, publicUrl: 'https://tools.example.com/dowser' };
    expect(check('POST', { host: 'tools.example.com', origin: 'https://tools.example.com' }, known)).not.toThrow();
    expect(check('POST', { host: 'localhost', origin: 'https://tools.example.com' }, known)).not.toThrow();
    expect(check('POST', { host: 'localhost', origin: 'https://tools.example.com:8443' }, known)).toThrow(
      field('Origin'),
    );
    expect(check('GET', { host: 'tools.example.com', origin: 'https://elsewhere.test' }, known)).not.toThrow();
    expect(check('POST', { host: 'tools.example.com', origin: 'https://elsewhere.test' }, known)).toThrow(
      field('Origin'),
    );
    expect(check('GET', { host: 'example.com' }, known)).toThrow(field('Host'));
  });

  it('is not made public by an address of this machine', () => {
    expect(isPublic({ loopbackOnly: true, publicUrl: 'http://localhost:7470' })).toBe(false);
    expect(isPublic({ loopbackOnly: true, publicUrl: 'https://tools.example.com' })).toBe(true);
    expect([isPublic(reach), isPublic({ loopbackOnly: false })]).toEqual([false, true]);
  });
});

describe('a server that others can reach', () => {
  const reach = { loopbackOnly: false, publicUrl: 'https://tools.example.com', allowedHosts: ['Box.test', 'inner'] };

  it.each<[string, Sent]>([
    ['POST', { host: '10.0.0.7:7470' }],
    ['POST', { host: '10.0.0.7:7470', origin: 'http://10.0.0.7:7470' }],
    ['PUT', { host: 'Box.test', origin: 'https://box.test' }],
    ['PUT', { host: 'box.test:443', origin: 'https://box.test' }],
    ['POST', { host: 'inner:7470', origin: 'https://tools.example.com' }],
    ['GET', { host: 'tools.example.com' }],
    ['GET', { host: 'localhost:7470' }],
    ['GET', { host: '[fd00::7]:7470' }],
    ['GET', { host: 'box.test', origin: 'https://elsewhere.test' }],
    ['OPTIONS', { host: 'box.test', origin: 'https://elsewhere.test' }],
  ])('lets %s with %j through', (method, headers) => {
    expect(check(method, headers, reach)).not.toThrow();
  });

  it.each<[string, Sent, string]>([
    ['POST', { host: 'box.test', origin: 'https://elsewhere.test' }, 'Origin'],
    ['POST', { host: 'box.test:7470', origin: 'http://box.test:3000' }, 'Origin'],
    ['DELETE', { host: 'box.test', origin: 'null' }, 'Origin'],
    ['POST', { host: 'box.test', 'sec-fetch-site': 'cross-site' }, 'Sec-Fetch-Site'],
    ['PATCH', { host: '', origin: 'file://' }, 'Host'],
    ['POST', { origin: 'http://box.test' }, 'Host'],
    ['GET', { host: 'rebound.test:7470' }, 'Host'],
    ['POST', { host: 'rebound.test', origin: 'http://rebound.test' }, 'Host'],
    ['GET', { host: '10.0.0.7.rebound.test' }, 'Host'],
  ])('stops %s with %j', (method, headers, name) => {
    expect(check(method, headers, reach)).toThrow(field(name));
  });
});

describe('a write', () => {
  const may = (host: string, reach: Reach) => mayWrite(new Headers({ host }), reach);
  const local = { loopbackOnly: true, publicUrl: 'https://tools.example.com' };

  it('is for requests of this machine, unless the setting allows others', () => {
    expect(may('localhost:7470', local)).toBe(true);
    expect(may('tools.example.com', local)).toBe(false);
    expect(may('tools.example.com', { ...local, remoteWrites: true })).toBe(true);
    for (const host of ['localhost:7470', '10.0.0.7']) {
      expect(may(host, { loopbackOnly: false })).toBe(false);
      expect(may(host, { loopbackOnly: false, remoteWrites: true })).toBe(true);
    }
  });

  it('is announced as refused where other machines can reach the server', () => {
    const reaches: Reach[] = [
      { loopbackOnly: true },
      local,
      { loopbackOnly: false },
      { loopbackOnly: false, remoteWrites: true },
    ];
    expect(reaches.map(isReadOnlyForOthers)).toEqual([false, true, true, false]);
  });
});
