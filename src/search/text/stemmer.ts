/**
 * An English stemmer, written from the rules in Porter's "An algorithm for suffix stripping" (1980), with two changes.
 * Short words and a few names are not stemmed. The rules repeat until the word stops changing, so the stem of a stem is
 * itself. Forms of one word get the same stem. The stem need not be a word.
 */

/** Words that end in s but are no plurals. Without the s they would be another word. */
const NOT_PLURAL = new Set(['news', 'canvas', 'redis']);
/** Plurals that the rules for short words and for -us miss. */
const IRREGULAR = new Map([
  ['ids', 'id'],
  ['prs', 'pr'],
  ['vms', 'vm'],
  ['cpus', 'cpu'],
  ['gpus', 'gpu'],
  ['menus', 'menu'],
]);
const MIN_LENGTH = 4;

const A = 97;
const E = 101;
const I = 105;
const O = 111;
const U = 117;
const W = 119;
const X = 120;
const Y = 121;

function isConsonant(word: string, at: number): boolean {
  const code = word.charCodeAt(at);
  if (code === A || code === E || code === I || code === O || code === U) return false;
  return code !== Y || at === 0 || !isConsonant(word, at - 1);
}

/** Porter's m: how often a consonant follows a vowel in the first `end` letters. */
function measure(word: string, end: number): number {
  let count = 0;
  let afterVowel = false;
  for (let at = 0; at < end; at++) {
    if (!isConsonant(word, at)) afterVowel = true;
    else if (afterVowel) {
      count++;
      afterVowel = false;
    }
  }
  return count;
}

function hasVowel(word: string, end: number): boolean {
  for (let at = 0; at < end; at++) if (!isConsonant(word, at)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word.charCodeAt(last) === word.charCodeAt(last - 1) && isConsonant(word, last);
}

/** Porter's *o: ends in consonant, vowel, consonant, and the last is not w, x or y. */
function endsShort(word: string, end = word.length): boolean {
  if (end < 3) return false;
  const last = word.charCodeAt(end - 1);
  return (
    isConsonant(word, end - 1) &&
    !isConsonant(word, end - 2) &&
    isConsonant(word, end - 3) &&
    last !== W &&
    last !== X &&
    last !== Y
  );
}

type Rules = readonly (readonly [ending: string, replacement: string])[];

const COMPOUND_ENDINGS: Rules = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];

const ADJECTIVE_ENDINGS: Rules = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const LAST_ENDINGS: Rules = [
  ['ement', ''],
  ['ance', ''],
  ['ence', ''],
  ['able', ''],
  ['ible', ''],
  ['ment', ''],
  ['ant', ''],
  ['ent', ''],
  ['ism', ''],
  ['ate', ''],
  ['iti', ''],
  ['ous', ''],
  ['ive', ''],
  ['ize', ''],
  ['al', ''],
  ['er', ''],
  ['ic', ''],
  ['ou', ''],
];

/** Applies the first rule with a matching ending, if Porter's m of the rest is above `measureAbove`. */
function replaceEnding(word: string, rules: Rules, measureAbove: number): string {
  for (const [ending, replacement] of rules) {
    if (!word.endsWith(ending)) continue;
    const end = word.length - ending.length;
    return measure(word, end) > measureAbove ? word.slice(0, end) + replacement : word;
  }
  return word;
}

function stripPlural(word: string): string {
  if (!word.endsWith('s') || word.endsWith('ss') || word.endsWith('us')) return word;
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1);
  return word.slice(0, -1);
}

function stripPast(word: string): string {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const cut = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const end = word.length - cut;
  if (cut === 0 || end < 2 || !hasVowel(word, end)) return word;
  const rest = word.slice(0, end);
  if (rest.endsWith('at') || rest.endsWith('bl') || rest.endsWith('iz')) return `${rest}e`;
  if (endsDouble(rest)) return rest.length > 3 && !/[lsz]$/.test(rest) ? rest.slice(0, -1) : rest;
  if (end === 2) return isConsonant(rest, 1) ? `${rest}e` : rest;
  return measure(rest, rest.length) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function stripLastEnding(word: string): string {
  if (!word.endsWith('sion') && !word.endsWith('tion')) return replaceEnding(word, LAST_ENDINGS, 1);
  const end = word.length - 3;
  return measure(word, end) > 1 ? word.slice(0, end) : word;
}

function stripLastE(word: string): string {
  if (/[^su]s$/.test(word)) return `${word}e`;
  if (word.endsWith('e') && word.length > 3 && !/[^u]se$/.test(word)) {
    const end = word.length - 1;
    const count = measure(word, end);
    if (count > 1 || (count === 1 && !endsShort(word, end))) return word.slice(0, -1);
  }
  return word.endsWith('ll') && measure(word, word.length - 1) > 1 ? word.slice(0, -1) : word;
}

function stemOnce(word: string): string {
  let stem = stripPast(stripPlural(word));
  if (stem.endsWith('y') && hasVowel(stem, stem.length - 1)) stem = `${stem.slice(0, -1)}i`;
  stem = replaceEnding(stem, COMPOUND_ENDINGS, 0);
  stem = replaceEnding(stem, ADJECTIVE_ENDINGS, 0);
  return stripLastE(stripLastEnding(stem));
}

/** The stem of a lower-case ASCII word. `stem(stem(word)) === stem(word)`. */
export function stem(word: string): string {
  let current = word;
  while (current.length >= MIN_LENGTH && !NOT_PLURAL.has(current)) {
    const next = stemOnce(current);
    if (next === current || next.length < 2) break;
    current = next;
  }
  return IRREGULAR.get(current) ?? current;
}
