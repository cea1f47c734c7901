/** How sure a result must be before it is shown without a note, and before it is shown at all. */

export { explainInWords, isWord, wordLabel } from '../model/answer/explain-in-words.ts';
export { LOW_CONFIDENCE, MIN_SHOWN_CONFIDENCE } from '../model/answer/low-confidence.ts';
