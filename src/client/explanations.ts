export { explainInWords, isWord, wordLabel } from '../model/explain-in-words.ts';
export { LOW_CONFIDENCE } from '../model/low-confidence.ts';
