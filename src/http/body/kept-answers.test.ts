import { expect, it } from 'vitest';
import { KeptAnswers } from './kept-answers.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const held = (isCurrent = true) => ({ isCurrent: async () => isCurrent, repeat: () => undefined });
const answer = (json: string, isCurrent = true) => ({ json, query: '', held: held(isCurrent) });

it('forgets what was not used for longest, and keeps nothing that is too large', async () => {
  const kept = new KeptAnswers(100);
  for (const key of ['a', 'b']) kept.add(key, answer(key.repeat(40)));
  expect((await kept.get('a'))?.json).toBe('a'.repeat(40));
  kept.add('c', answer('c'.repeat(40)));
  kept.add('large', answer('x'.repeat(100)));
  const found = await Promise.all(['a', 'b', 'c', 'large'].map(async (key) => (await kept.get(key))?.json[0]));
  expect(found).toEqual(['a', undefined, 'c', undefined]);
  // Adding the same again takes no more room.
  for (let time = 0; time < 10; time++) kept.add('c', answer('c'.repeat(40)));
  expect((await kept.get('a'))?.json).toBe('a'.repeat(40));
});

it('drops what no longer holds, and never what has replaced it in the meantime', async () => {
  const kept = new KeptAnswers();
  kept.add('a', answer('old', false));
  const asked = kept.get('a');
  kept.add('a', answer('new'));
  expect(await asked).toBeUndefined();
  expect((await kept.get('a'))?.json).toBe('new');
});

it('has a key for each caller, address and body, byte by byte, but none for a long body', () => {
  const kept = new KeptAnswers();
  const callers = [{}, {}];
  const bodies = [bytes('{"query":"ä"}'), bytes('{"query":"Ã¤"}'), Uint8Array.of(0xff), Uint8Array.of(0xfe)];
  const keys = callers.flatMap((caller) =>
    ['/a', '/b'].flatMap((url) => bodies.map((body) => kept.keyOf(caller, url, body))),
  );
  expect(new Set(keys).size).toBe(16);
  expect(kept.keyOf(callers[0]!, '/a', bodies[0]!)).toBe(keys[0]);
  expect(kept.keyOf(callers[0]!, '/a', new Uint8Array(5000))).toBeNull();
});
