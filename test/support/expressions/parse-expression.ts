/**
 * A regular expression as a tree, so that its work can be counted and texts can be derived from it.
 * Reads what the sources use: groups, classes, looks in both directions, quantifiers, references by number or name.
 */
export type Part =
  /** One character: a literal, a class, an escape or a dot, as it is written. */
  | { readonly type: 'char'; readonly source: string }
  | { readonly type: 'edge'; readonly source: '^' | '$' | '\\b' | '\\B' }
  | { readonly type: 'sequence'; readonly parts: readonly Part[] }
  | { readonly type: 'choice'; readonly parts: readonly Part[] }
  | { readonly type: 'group'; readonly index: number; readonly part: Part }
  | { readonly type: 'look'; readonly behind: boolean; readonly negative: boolean; readonly part: Part }
  | { readonly type: 'reference'; readonly index: number }
  | {
      readonly type: 'repeat';
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
      readonly part: Part;
    };

export interface ParsedExpression {
  readonly root: Part;
  readonly groups: number;
}

const LOOKS: Readonly<Record<string, { behind: boolean; negative: boolean }>> = {
  '(?=': { behind: false, negative: false },
  '(?!': { behind: false, negative: true },
  '(?<=': { behind: true, negative: false },
  '(?<!': { behind: true, negative: true },
};

export function parseExpression({ source, flags }: RegExp): ParsedExpression {
  const names = new Map<string, number>();
  const references: { part: { index: number }; name: string }[] = [];
  let groups = 0;
  let at = 0;

  function choice(): Part {
    const parts = [sequence()];
    while (source[at] === '|') {
      at += 1;
      parts.push(sequence());
    }
    return parts.length === 1 ? (parts[0] as Part) : { type: 'choice', parts };
  }

  function sequence(): Part {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(item()));
    return { type: 'sequence', parts };
  }

  function item(): Part {
    const char = source[at] as string;
    if (char === '(') return parenthesis();
    if (char === '^' || char === '$') {
      at += 1;
      return { type: 'edge', source: char };
    }
    if (char === '[') return taken(classEnd() - at);
    if (char === '\\') return escaped();
    return taken(flags.includes('u') && (source.codePointAt(at) as number) > 0xffff ? 2 : 1);
  }

  function taken(length: number): Part {
    at += length;
    return { type: 'char', source: source.slice(at - length, at) };
  }

  function classEnd(): number {
    let end = at + 1;
    while (source[end] !== ']') end += source[end] === '\\' ? 2 : 1;
    return end + 1;
  }

  function escaped(): Part {
    const next = source[at + 1] as string;
    if (next === 'b' || next === 'B') {
      at += 2;
      return { type: 'edge', source: `\\${next}` };
    }
    const rest = source.slice(at);
    const reference = /^\\([1-9]\d*)|^\\k<([^>]+)>/.exec(rest);
    if (reference) {
      at += reference[0].length;
      const part = { type: 'reference' as const, index: Number(reference[1] ?? 0) };
      if (reference[2] !== undefined) references.push({ part, name: reference[2] });
      return part;
    }
    const long = /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z])/.exec(rest);
    return taken(long?.[0].length ?? 2);
  }

  function parenthesis(): Part {
    const look = Object.keys(LOOKS).find((opening) => source.startsWith(opening, at));
    const name = /^\(\?<([^>=!]+)>/.exec(source.slice(at, at + 80));
    if (look !== undefined) {
      at += look.length;
      return { type: 'look', ...(LOOKS[look] as { behind: boolean; negative: boolean }), part: closed() };
    }
    if (source.startsWith('(?:', at)) {
      at += 3;
      return closed();
    }
    if (source.startsWith('(?', at) && !name) throw new Error(`cannot read ${source.slice(at, at + 10)}`);
    at += name?.[0].length ?? 1;
    groups += 1;
    const index = groups;
    if (name) names.set(name[1] as string, index);
    return { type: 'group', index, part: closed() };
  }

  function closed(): Part {
    const part = choice();
    if (source[at] !== ')') throw new Error(`no end of the group in /${source}/`);
    at += 1;
    return part;
  }

  function repeated(part: Part): Part {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})(\??)/.exec(source.slice(at, at + 20));
    if (!found) return part;
    at += found[0].length;
    const lazy = found[4] === '?';
    const sign = found[0][0];
    if (sign !== '{') {
      return {
        type: 'repeat',
        min: sign === '+' ? 1 : 0,
        max: sign === '?' ? 1 : Number.POSITIVE_INFINITY,
        lazy,
        part,
      };
    }
    const min = Number(found[1]);
    const open = found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3]);
    return { type: 'repeat', min, max: found[2] === '' ? min : open, lazy, part };
  }

  const root = choice();
  if (at < source.length) throw new Error(`cannot read all of /${source}/: stopped at ${at}`);
  for (const { part, name } of references) part.index = names.get(name) ?? 0;
  return { root, groups };
}

/** The choices at the top of an expression, each as one of its own. The whole takes as long as all of them together. */
export function choicesOf(expression: RegExp): readonly RegExp[] {
  const { source, flags } = expression;
  // The number of a group is another one in a part.
  if (/\\[1-9]|\\k</.test(source)) return [expression];
  const parts: string[] = [];
  let depth = 0;
  let isClass = false;
  let from = 0;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === '\\') at += 1;
    else if (isClass) isClass = char !== ']';
    else if (char === '[') isClass = true;
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === '|' && depth === 0) {
      parts.push(source.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, source.slice(from)].map((part) => new RegExp(part === '' ? '(?:)' : part, flags));
}
