import { describe, expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

const utf16 = (text: string, isBig: boolean) => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};
const TEXT = 'Grüße\nan alle, 東京 and the rest of a long line in Latin letters';

describe('decodeText', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`)],
    ['UTF-16 LE with a mark', utf16(`\uFEFF${TEXT}`, false)],
    ['UTF-16 BE with a mark', utf16(`\uFEFF${TEXT}`, true)],
    ['UTF-16 LE', utf16('plain words', false)],
    ['UTF-16 BE', utf16('plain words', true)],
  ])('reads %s', (name, bytes) => {
    expect(decodeText(bytes)).toBe(name.endsWith('E') ? 'plain words' : TEXT);
  });

  it('makes every line end LF', () => {
    expect(decodeText(Buffer.from('a\r\nb\rc\n'))).toBe('a\nb\nc\n');
  });

  it.each([
    ['Latin-1', Buffer.from('Grüße', 'latin1')],
    ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x41])],
    ['zeros', Buffer.from('a\0b\0\0\0c')],
    ['control characters', Buffer.from(Array.from({ length: 100 }, (_, i) => i % 9))],
  ])('refuses %s', (_, bytes) => {
    expect(decodeText(bytes)).toBeNull();
  });

  it('reads an empty file', () => expect(decodeText(new Uint8Array())).toBe(''));
});
