import { type Part, parseExpression } from './parse-expression.ts';

/**
 * Counts the work of a backtracking engine, instead of reading a clock: one step for each character that is compared.
 * Matches as V8 does, and gives the matches, so that a test can compare them with those of V8.
 */
export interface CountedMatches {
  readonly steps: number;
  readonly matches: readonly string[];
  /** It was stopped at `maxSteps`. */
  readonly stopped: boolean;
}

type Next = (at: number) => boolean;
type Matcher = (at: number, next: Next) => boolean;

const TOO_MANY = new Error('too many steps');

/** Ready to run over many texts. */
export class CountedExpression {
  readonly #expression: RegExp;
  readonly #matcher: Matcher;
  readonly #groups: ([from: number, to: number] | undefined)[];
  readonly #known = new Map<string, Map<string, boolean>>();
  #text: readonly string[] = [];
  #steps = 0;
  #maxSteps = 0;

  constructor(expression: RegExp) {
    this.#expression = expression;
    const { root, groups } = parseExpression(expression);
    this.#groups = new Array(groups + 1).fill(undefined);
    this.#matcher = this.#compile(root, 1);
  }

  /** All matches, as `matchAll` and `split` look for them: after each match and after each place without one. */
  matchAll(text: string, maxSteps: number): CountedMatches {
    this.#text = this.#expression.unicode ? [...text] : text.split('');
    this.#steps = 0;
    this.#maxSteps = maxSteps;
    const matches: string[] = [];
    try {
      for (let from = 0; from <= this.#text.length; ) {
        let end = -1;
        this.#groups.fill(undefined);
        const found = this.#matcher(from, (at) => {
          end = at;
          return true;
        });
        if (found) matches.push(this.#text.slice(from, end).join(''));
        from = found ? Math.max(end, from + 1) : from + 1;
      }
    } catch (error) {
      if (error !== TOO_MANY) throw error;
      return { steps: this.#steps, matches, stopped: true };
    }
    return { steps: this.#steps, matches, stopped: false };
  }

  /** Whether a character, as it is written in the expression, matches one of a text. */
  isMatch(source: string, char: string): boolean {
    let known = this.#known.get(source);
    if (!known) {
      known = new Map();
      this.#known.set(source, known);
    }
    let is = known.get(char);
    if (is === undefined) {
      is = new RegExp(`^${source}$`, this.#expression.flags.replace(/[gmyd]/g, '')).test(char);
      known.set(char, is);
    }
    return is;
  }

  #step(): void {
    this.#steps += 1;
    if (this.#steps > this.#maxSteps) throw TOO_MANY;
  }

  #compile(part: Part, direction: 1 | -1): Matcher {
    switch (part.type) {
      case 'char':
        return (at, next) => this.#isAt(part.source, at, direction) && next(at + direction);
      case 'edge':
        return (at, next) => this.#isEdge(part.source, at) && next(at);
      case 'sequence': {
        const matchers = part.parts.map((each) => this.#compile(each, direction));
        if (direction < 0) matchers.reverse();
        return matchers.reduceRight<Matcher>(
          (rest, first) => (at, next) => first(at, (then) => rest(then, next)),
          (at, next) => next(at),
        );
      }
      case 'choice': {
        const matchers = part.parts.map((each) => this.#compile(each, direction));
        return (at, next) => matchers.some((matcher) => matcher(at, next));
      }
      case 'group':
        return this.#group(part.index, this.#compile(part.part, direction));
      case 'look': {
        const matcher = this.#compile(part.part, part.behind ? -1 : 1);
        return (at, next) => matcher(at, () => true) !== part.negative && next(at);
      }
      case 'reference':
        return (at, next) => {
          const [from, to] = this.#groups[part.index] ?? [0, 0];
          for (let i = from; i < to; i++) {
            this.#step();
            if (this.#text[at + i - from] !== this.#text[i]) return false;
          }
          return next(at + to - from);
        };
      case 'repeat':
        return part.part.type === 'char'
          ? this.#repeatedChar(part.part.source, part, direction)
          : this.#repeated(this.#compile(part.part, direction), part);
    }
  }

  #isAt(source: string, at: number, direction: 1 | -1): boolean {
    this.#step();
    const char = this.#text[direction > 0 ? at : at - 1];
    return char !== undefined && this.isMatch(source, char);
  }

  #isEdge(source: string, at: number): boolean {
    this.#step();
    const isWord = (char: string | undefined) => char !== undefined && this.isMatch('\\w', char);
    const isEnd = (char: string | undefined) =>
      char === undefined || (this.#expression.multiline && '\n\r\u2028\u2029'.includes(char));
    if (source === '^') return isEnd(this.#text[at - 1]);
    if (source === '$') return isEnd(this.#text[at]);
    return (isWord(this.#text[at - 1]) !== isWord(this.#text[at])) === (source === '\\b');
  }

  #group(index: number, matcher: Matcher): Matcher {
    return (at, next) => {
      const before = this.#groups[index];
      const found = matcher(at, (end) => {
        this.#groups[index] = [Math.min(at, end), Math.max(at, end)];
        return next(end);
      });
      if (!found) this.#groups[index] = before;
      return found;
    };
  }

  #repeatedChar(source: string, { min, max, lazy }: Extract<Part, { type: 'repeat' }>, direction: 1 | -1): Matcher {
    return (at, next) => {
      let count = 0;
      if (lazy) {
        for (; count < min; count++) if (!this.#isAt(source, at + count * direction, direction)) return false;
        for (;;) {
          if (next(at + count * direction)) return true;
          if (count >= max || !this.#isAt(source, at + count * direction, direction)) return false;
          count += 1;
        }
      }
      while (count < max && this.#isAt(source, at + count * direction, direction)) count += 1;
      for (; count >= min; count--) {
        this.#step();
        if (next(at + count * direction)) return true;
      }
      return false;
    };
  }

  #repeated(matcher: Matcher, { min, max, lazy }: Extract<Part, { type: 'repeat' }>): Matcher {
    const from =
      (count: number): Matcher =>
      (at, next) => {
        this.#step();
        const more = () =>
          count < max && matcher(at, (end) => !(end === at && count >= min) && from(count + 1)(end, next));
        if (count < min) return more();
        return lazy ? next(at) || more() : more() || next(at);
      };
    return from(0);
  }
}
