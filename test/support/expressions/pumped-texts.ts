import type { CountedExpression } from './count-steps.ts';
import { type Part, parseExpression } from './parse-expression.ts';

/** A text with a part that is repeated: `before`, then `repeated` as often as it fits, then `after`. */
export interface Pump {
  readonly before: string;
  readonly repeated: string;
  readonly after: string;
}

/** Fits none of the classes that are written in practice: what comes after a repeat and makes the match fail. */
const ODD_ONE = '\u0001';
const CANDIDATES = [
  ...Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)),
  ...' \t\n\r\0',
  ...'é\u0301\u0307Я漢あ가\u00a0\u200b\u{1f600}。“”«»…²',
];
/** Bounds on what is derived from one expression, so that long lists of words stay cheap. */
const MAX_PAIRED = 7;
const MAX_STARTS = 14;
const MAX_BEGINNINGS = 24;
const MAX_RUNS = 160;

export function pumpText({ before, repeated, after }: Pump, length: number): string {
  return before + repeated.repeat(Math.max(1, Math.ceil(length / repeated.length))) + after;
}

/**
 * Texts that make an expression work as hard as it can, derived from the expression: runs of every kind of character that it
 * tells apart, of what its repeats take, and of its beginnings, each also after the text that leads to a repeat.
 */
export function pumpsOf(expression: RegExp, counted: CountedExpression): Pump[] {
  const { root } = parseExpression(expression);
  const kinds = kindsOfChars(root, counted);
  const example = (part: Part): string => exampleOf(part, kinds, counted);
  const repeats: { before: string; bodies: string[] }[] = [];
  const beginnings = new Set<string>();

  visit(root, '');
  function visit(part: Part, before: string): void {
    if (part.type === 'sequence') {
      let sofar = before;
      for (const each of part.parts) {
        visit(each, sofar);
        sofar += example(each);
        beginnings.add(sofar.slice(before.length));
      }
    } else if (part.type === 'choice') {
      for (const each of part.parts) visit(each, before);
    } else if (part.type === 'repeat') {
      if (part.max > 1) repeats.push({ before, bodies: examplesOf(part.part, kinds, counted) });
      visit(part.part, before);
    } else if (part.type === 'group' || part.type === 'look') visit(part.part, before);
  }

  const bodies = new Set(repeats.flatMap((repeat) => repeat.bodies));
  const runs = new Set<string>(
    [...kinds, ...bodies, ...[...beginnings].slice(0, MAX_BEGINNINGS)].filter((text) => text !== ''),
  );
  const few = kinds.slice(0, MAX_PAIRED);
  for (const a of few) for (const b of few) if (a !== b) runs.add(a + b);
  for (const beginning of [...beginnings].slice(0, MAX_BEGINNINGS)) {
    for (const kind of few) if (beginning !== '') runs.add(kind + beginning).add(beginning + kind);
  }

  const pumps: Pump[] = [];
  const ends = ['', ODD_ONE, '\n', ...kinds.slice(0, 3)];
  for (const repeated of [...runs].slice(0, MAX_RUNS)) {
    for (const after of ends) pumps.push({ before: '', repeated, after });
    // What takes the start of a text, as ^-+|-+$ does, must not hide what comes later.
    for (const side of [ODD_ONE, ...kinds.slice(0, 2)]) pumps.push({ before: side, repeated, after: side });
  }
  const starts = new Map(repeats.filter(({ before }) => before !== '').map((repeat) => [repeat.before, repeat]));
  for (const { before, bodies: own } of [...starts.values()].slice(0, MAX_STARTS)) {
    for (const repeated of new Set([...own, ...kinds.slice(0, 14)])) {
      if (repeated === '') continue;
      for (const after of ['', ODD_ONE]) pumps.push({ before, repeated, after });
      pumps.push({ before, repeated, after: few[0] as string });
    }
  }
  return pumps;
}

/** One character for each set of characters that the expression does not tell apart. */
function kindsOfChars(root: Part, counted: CountedExpression): string[] {
  const sources = new Set<string>();
  const collect = (part: Part): void => {
    if (part.type === 'char') sources.add(part.source);
    else if ('parts' in part) part.parts.forEach(collect);
    else if ('part' in part) collect(part.part);
  };
  collect(root);
  // Letters and digits are in most classes, so a class comes before the letters of words.
  const classes = [...sources].filter((source) => source.length > 1 || source === '.');
  const literals = [...sources].filter((source) => !classes.includes(source));
  const kinds = new Map<string, string>();
  for (const char of CANDIDATES) {
    const kind = classes.map((source) => (counted.isMatch(source, char) ? '1' : '0')).join('');
    if (!kinds.has(kind)) kinds.set(kind, char);
  }
  return [...new Set([...kinds.values(), ...literals.map(unescaped)])].slice(0, 40);
}

const unescaped = (source: string): string =>
  source.startsWith('\\') && source.length === 2 ? (source[1] as string) : source;

function exampleOf(part: Part, kinds: readonly string[], counted: CountedExpression): string {
  return examplesOf(part, kinds, counted)[0] ?? '';
}

/** Short texts that a part matches. The first is the plainest. */
function examplesOf(part: Part, kinds: readonly string[], counted: CountedExpression): string[] {
  switch (part.type) {
    case 'char': {
      const matching = kinds.filter((kind) => counted.isMatch(part.source, kind));
      if (matching.length > 0) return matching;
      const found = CANDIDATES.find((char) => counted.isMatch(part.source, char));
      return [found ?? unescaped(part.source)];
    }
    case 'sequence':
      return crossed(part.parts.map((each) => examplesOf(each, kinds, counted)));
    case 'choice':
      return part.parts.flatMap((each) => examplesOf(each, kinds, counted).slice(0, 2)).slice(0, 30);
    case 'group':
      return examplesOf(part.part, kinds, counted);
    case 'repeat':
      if (part.max === 0) return [''];
      return examplesOf(part.part, kinds, counted).map((text) => text.repeat(Math.max(1, Math.min(part.min, 300))));
    default:
      return [''];
  }
}

/** The first of each, then the variants of one part at a time. */
function crossed(lists: readonly (readonly string[])[]): string[] {
  const plain = lists.map((list) => list[0] ?? '');
  const all = new Set([plain.join('')]);
  lists.forEach((list, index) => {
    for (const text of list.slice(1, 4)) all.add(plain.with(index, text).join(''));
  });
  return [...all].slice(0, 12);
}
