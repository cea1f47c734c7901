import { describe, expect, it } from 'vitest';
import { holdsPhrase } from './holds-phrase.ts';

const fields = { name: 'Harbour guide', body: 'The quiet\n  HARBOUR lámp is lit.' };

describe('holdsPhrase', () => {
  it('ignores case, accents and line breaks', () => {
    expect(['quiet harbour lamp', 'Quiet  Harbour', 'HARBOUR GUIDE'].every((text) => holdsPhrase(fields, text))).toBe(
      true,
    );
  });

  it('needs the words in order and in one field', () => {
    expect(['harbour quiet', 'guide the quiet'].some((text) => holdsPhrase(fields, text))).toBe(false);
    expect(holdsPhrase({}, 'quiet harbour')).toBe(false);
  });
});
