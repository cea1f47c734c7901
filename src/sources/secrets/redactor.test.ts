import { describe, expect, it } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import { Redactor } from './redactor.ts';

const redactorOf = (...values: string[]) => new Redactor(values.map((value) => ({ value, isNamed: false })));

describe('Redactor', () => {
  it('takes out the longer of two secrets first', () => {
    expect(redactorOf('abcd', 'abcdefgh').text('x abcdefgh y abcd')).toBe('x [redacted] y [redacted]');
  });

  it('leaves words of a description alone that only happen to be the value of a variable', () => {
    const redactor = redactorOf('production', 'a1b2c3d4e5');
    expect(redactor.json({ text: 'for production: a1b2c3d4e5', list: ['a1b2c3d4e5'] })).toEqual({
      text: 'for production: [redacted]',
      list: ['[redacted]'],
    });
  });

  it('takes out a common word that was named as a secret, but not a part of a longer word', () => {
    const redactor = new Redactor([{ value: 'opensesame', isNamed: true }]);
    expect(redactor.json('opensesame, "opensesame" and opensesames, %6fpensesame')).toBe(
      '[redacted], "[redacted]" and opensesames, [redacted]',
    );
  });

  it('takes out base64url where it differs from base64', () => {
    const secret = 'key-?>?>?>ÿÿÿ';
    for (const encoding of ['base64', 'base64url'] as const) {
      const written = Buffer.from(`me:${secret}`).toString(encoding);
      expect(written).toMatch(encoding === 'base64' ? /[+/]/ : /[-_]/);
      expect(redactorOf(secret).json(`<${written}>`)).toMatch(/^<\S{0,3}\[redacted\]>$/);
    }
  });

  it('cleans an error and drops its cause', () => {
    const error = redactorOf('abcd1').error(
      new DowserError('INVALID_FILE', 'Bad abcd1.', { hint: 'Not abcd1.', cause: new Error('abcd1') }),
    );
    expect([error.message, error.hint, error.cause]).toEqual(['Bad [redacted].', 'Not [redacted].', undefined]);
    const inHint = new DowserError('INVALID_FILE', 'Bad.', { hint: 'Not abcd1.' });
    expect(redactorOf('abcd1').error(inHint).hint).toBe('Not [redacted].');
  });

  const SECRET = 's3cr3t/Wert "ü"+x';
  const utf8 = Buffer.from(SECRET);
  const inJson = JSON.stringify(SECRET).slice(1, -1);
  it.each([
    ['base64', utf8.toString('base64')],
    ['base64url', utf8.toString('base64url')],
    ['base64 after one byte', Buffer.from(`:${SECRET}!`).toString('base64')],
    ['base64 of a user and a password', Buffer.from(`me:${SECRET}`).toString('base64')],
    ['hex', utf8.toString('hex')],
    ['upper-case hex', utf8.toString('hex').toUpperCase()],
    ['hex with colons', utf8.toString('hex').match(/../g)!.join(':')],
    ['percent', encodeURIComponent(SECRET)],
    ['percent in lower case', encodeURIComponent(SECRET).toLowerCase().replace('wert', 'Wert')],
    ['percent of every byte', [...utf8].map((byte) => `%${byte.toString(16)}`).join('')],
    ['a form', new URLSearchParams({ x: SECRET }).toString().slice(2)],
    ['JSON', inJson],
    ['JSON in ASCII', inJson.replace('ü', '\\u00fc')],
    ['JSON in upper-case ASCII', inJson.replace('ü', '\\u00FC')],
    ['JSON with escaped slashes', inJson.replace('/', '\\/')],
    ['JSON for HTML', SECRET.replaceAll('"', '\\u0022').replace('+', '\\u002b')],
    ['JSON inside JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ['percent, twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['HTML', SECRET.replaceAll('"', '&quot;')],
    ['HTML by numbers', SECRET.replaceAll('"', '&#34;').replace('+', '&#x2B;').replace('ü', '&#252;')],
    ['HTML, twice', SECRET.replaceAll('"', '&amp;quot;')],
    ['quoted-printable', SECRET.replace('ü', '=C3=BC')],
    ['bytes of a program', [...utf8].map((byte) => `\\x${byte.toString(16)}`).join('')],
    ['a string of a program', SECRET.replaceAll('"', '\\"').replace('ü', '\\xc3\\xbc')],
    ['a list of bytes', [...utf8].map((byte) => `0x${byte.toString(16)}`).join(', ')],
    ['base64 in lines', utf8.toString('base64').replaceAll(/.{10}/g, '$&\r\n')],
  ])('takes out a secret as %s, from messages and from stored text', (_form, written) => {
    const redactor = redactorOf(SECRET);
    expect(redactor.text(`got <${written}>.`)).toMatch(/^got <\S{0,3}\[redacted\]>\.$/);
    expect(JSON.stringify(redactor.json({ [`x ${written}`]: [`<${written}>`] }))).toMatch(
      /^\{"x \S{0,3}\[redacted\]":\["<\S{0,3}\[redacted\]>"\]\}$/,
    );
  });

  it('takes out the encoded form of a common word, which cannot occur by chance', () => {
    const word = Buffer.from('production').toString('base64');
    expect(redactorOf('production').json(`production ${word}`)).toBe('production [redacted]');
  });

  it('takes out a very long secret, also encoded', () => {
    const secret = '-----BEGIN KEY-----\n4+x/'.repeat(1500);
    const redactor = redactorOf(secret);
    expect(redactor.json(`<${secret}> <${JSON.stringify(secret).slice(1, -1)}>`)).toBe('<[redacted]> <[redacted]>');
    expect(redactor.json(Buffer.from(secret).toString('base64'))).toBe('[redacted]');
  });

  it('reads a long text once', () => {
    const text = 'A'.repeat(2_000_000);
    expect(redactorOf(SECRET).json(text)).toBe(text);
  });
});
