import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random, Zipf } from '../corpus/random.ts';

const VOCABULARY = 20_000;
const CONSONANTS = 'bcdfglmnprstv';
const VOWELS = 'aeiou';
const MIN_FILE_CHARS = 1000;
/** The largest file is this many times the smallest. */
const SPREAD = 64;
const FOLDERS = 50;
/** Whole seconds, so that setting the time of the last access keeps them. */
const MODIFIED = new Date('2026-01-01T00:00:00Z');

/** A made-up word for each number. */
function wordOf(number: number): string {
  let word = '';
  for (let rest = number + 17; rest > 0; rest = Math.floor(rest / 17)) {
    word += CONSONANTS[rest % CONSONANTS.length]! + VOWELS[(rest >> 2) % VOWELS.length]!;
  }
  return `${word}${VOWELS[number % VOWELS.length]}`;
}

/** Words as a text has them: few are common, most are rare. */
export class Words {
  readonly #random: Random;
  readonly #ranks = new Zipf(VOCABULARY, 1, 2.7);

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  get random(): Random {
    return this.#random;
  }

  some(count: number): string {
    return Array.from({ length: count }, () => wordOf(this.#ranks.draw(this.#random))).join(' ');
  }
}

/** Markdown of about this length, with headings of two levels. */
function markdown(words: Words, chars: number): string {
  const { random } = words;
  const parts = [`# ${words.some(3)}`];
  for (let length = 0; length < chars; ) {
    const part = random.unit() < 0.15 ? `## ${words.some(3)}` : `${words.some(random.between(20, 100))}.`;
    parts.push(part);
    length += part.length + 2;
  }
  return `${parts.join('\n\n')}\n`;
}

/** Writes Markdown files of 1 to 64 kB until they have `bytes` together. The same seed gives the same folder. */
export async function writeMarkdownFolder(folder: string, bytes: number, seed: number): Promise<readonly string[]> {
  const words = new Words(seed);
  const files: string[] = [];
  for (let written = 0; written < bytes; ) {
    const text = markdown(words, MIN_FILE_CHARS * SPREAD ** words.random.unit());
    const inside = join(folder, `part-${files.length % FOLDERS}`);
    await mkdir(inside, { recursive: true });
    const file = join(inside, `document-${files.length}.md`);
    await writeFile(file, text);
    await utimes(file, MODIFIED, MODIFIED);
    files.push(file);
    written += text.length;
  }
  return files;
}
