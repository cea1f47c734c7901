export { explainInWords, isWord, wordLabel } from '../model/explain-in-words.ts';
