import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Database } from './embedded/record/database.ts';
import { fromStoredText, toStoredText } from './stored-text.ts';

it('leaves ordinary text as it is', () => {
  for (const text of ['', 'mcp_server:/context7', 'Größe 数据 😀', "it's 100 %"]) expect(toStoredText(text)).toBe(text);
});

it('brings every string through SQLite and back', () => {
  const database = new Database(':memory:');
  const echo = database.prepare('SELECT ? AS text');
  const through = (text: string) => fromStoredText(echo.get<{ text: string }>(toStoredText(text))!.text);
  for (const text of ['a\0b', '\ud800', '\udc00\ud800', '\\u0000', '\\', '\\\\u005c', '\ud83d\ude00\ud83d'])
    expect(through(text)).toBe(text);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => through(text) === text));
  const half = fc.array(fc.constantFrom('\ud83d', '\ude00', '\\', 'u0000', '\0', 'x')).map((parts) => parts.join(''));
  fc.assert(fc.property(half, (text) => through(text) === text));
  database.close();
});
