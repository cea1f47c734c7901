import { LayeredMap } from '../../rows/layered-map.ts';

/**
 * Sorted words, one per line of a text. A list of strings would be an object for each word: to make them all takes most of
 * the time in which a large index is opened.
 */
export class SortedWords {
  readonly length: number;
  readonly #text: string;
  /** Where each word begins, and one more: where another one would. */
  readonly #starts: Uint32Array;

  /** The words must be sorted by code units. An empty text has none. */
  constructor(text = '') {
    this.#text = text;
    let length = text === '' ? 0 : 1;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) length++;
    this.length = length;
    this.#starts = new Uint32Array(length + 1);
    for (let word = 1, at = -1; word < length; word++) {
      at = text.indexOf('\n', at + 1);
      this.#starts[word] = at + 1;
    }
    this.#starts[length] = text.length + 1;
  }

  at(position: number): string {
    return this.#text.slice(this.#starts[position]!, this.#starts[position + 1]! - 1);
  }

  /** The position of the first word that is not below `word`. */
  lowerBound(word: string): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, word) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** -1 if it is none of them. */
  indexOf(word: string): number {
    const at = this.lowerBound(word);
    return at < this.length && this.#compare(at, word) === 0 ? at : -1;
  }

  #compare(position: number, word: string): number {
    const start = this.#starts[position]!;
    const size = this.#starts[position + 1]! - 1 - start;
    const common = Math.min(size, word.length);
    for (let i = 0; i < common; i++) {
      const difference = this.#text.charCodeAt(start + i) - word.charCodeAt(i);
      if (difference !== 0) return difference;
    }
    return size - word.length;
  }
}

/** The posting list of each word, and the word of each posting list. Stored words have those of their positions. */
export class TermLists {
  readonly stored: SortedWords;
  readonly #added = new LayeredMap<string, number>();
  /** By list: its word, '' if it has none any more. Nothing: the stored word still has it. */
  readonly #words: (string | undefined)[] = [];

  constructor(stored = new SortedWords()) {
    this.stored = stored;
    this.#words.length = stored.length;
  }

  /** One more than the highest list. */
  get length(): number {
    return this.#words.length;
  }

  /** The word of a list; '' if it has none. */
  at(list: number): string {
    return this.#words[list] ?? this.stored.at(list);
  }

  get(word: string): number | undefined {
    const list = this.#added.get(word);
    if (list !== undefined || this.stored.length === 0) return list;
    const at = this.stored.indexOf(word);
    return at < 0 || this.#words[at] !== undefined ? undefined : at;
  }

  has(word: string): boolean {
    return this.get(word) !== undefined;
  }

  /** The word must have no list, and the list no word. */
  set(word: string, list: number): void {
    this.#added.set(word, list);
    this.#words[list] = word;
  }

  delete(word: string): void {
    const list = this.get(word);
    if (list === undefined) return;
    this.#added.delete(word);
    this.#words[list] = '';
  }

  /** All words, sorted by code units. */
  sorted(): string[] {
    const words: string[] = [];
    for (let list = 0; list < this.length; list++) if (this.at(list) !== '') words.push(this.at(list));
    return words.sort();
  }
}
