import { z } from 'zod';
import { LOW_CONFIDENCE } from '../../model/answer/low-confidence.ts';
import { ENTITY_TYPES } from '../../model/entity.ts';
import { instructionWarning, promptLikeText } from '../../model/prompt-scan/prompt-like.ts';
import { MAX_QUERY_CHARS, MAX_RESULTS } from '../../model/query/query.ts';
import { wholeNumber } from '../../model/query/query-fields.ts';

/** Fields that several tools have in common. */
export const queryField = z
  .string()
  .max(MAX_QUERY_CHARS, `must have at most ${MAX_QUERY_CHARS} characters`)
  .describe('What to look for, in words. `#word` is a tag.');

export const countField = wholeNumber(1, MAX_RESULTS);

/** The limit of an answer's text. Without a description: the name is clear, and four tools have the field. */
export const maxTokensField = wholeNumber(50, 100_000);

export const kindField = z.enum(ENTITY_TYPES, `must be one of ${ENTITY_TYPES.join(', ')}`);

/** The text of an empty answer. */
export const NO_MATCH = 'No match in this registry.';

/** The scores are relative to the best result, so a low confidence must be said. */
export function confidenceNote({ results }: { readonly results: readonly { readonly confidence: number }[] }): string {
  const isLow = results.length > 0 && results[0]!.confidence < LOW_CONFIDENCE;
  return isLow ? 'Low confidence: perhaps none of these is a match.' : '';
}

export const warningsField = z.array(z.string());

/** A warning if one of the texts of an entity reads like an instruction to the model. At most one. */
export function instructionWarnings(path: string, ...texts: readonly string[]): readonly string[] {
  const phrase = texts.map(promptLikeText).find((found) => found !== null);
  return phrase === undefined ? [] : [instructionWarning(path, phrase)];
}

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
