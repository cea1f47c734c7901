import { z } from 'zod';
import { splitList } from '../../model/text/trim-chars.ts';

export const MAX_TAGS = 100;
export const MAX_TAG_CHARS = 100;

/** Tags as clients write them: a list, one word, words with commas between, or a JSON list as text. */
export const tagsField = z
  .preprocess(
    tagsIn,
    z.array(z.string().max(MAX_TAG_CHARS, `must have at most ${MAX_TAG_CHARS} characters`)).max(MAX_TAGS),
  )
  .transform((tags) => [...new Set(tags)]);

/** The tags of any of these spellings, folded; something else as it is. */
export function tagsIn(given: unknown): unknown {
  if (given === null) return [];
  if (typeof given === 'string') return tagsIn(listIn(given));
  if (!Array.isArray(given)) return given;
  // A comma separates tags in exports of other tools, so none may hold one.
  return given.map((tag) => (typeof tag === 'string' ? folded(tag) : tag)).filter((tag) => tag !== '');
}

const folded = (tag: string): string =>
  tag
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .join('-');

function listIn(text: string): unknown {
  if (/^\s*\[/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // Then the bracket is part of a tag.
    }
  }
  return splitList(text);
}
