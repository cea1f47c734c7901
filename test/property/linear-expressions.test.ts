import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CountedExpression } from '../support/expressions/count-steps.ts';
import { choicesOf } from '../support/expressions/parse-expression.ts';
import { type Pump, pumpsOf, pumpText } from '../support/expressions/pumped-texts.ts';
import { sourceExpressions } from '../support/expressions/source-expressions.ts';

/**
 * A text of others must not hold the process: no expression may take time that grows faster than the text. Each expression of the
 * sources is found in the syntax trees and run over texts that are made to keep it busy. Steps are counted, no clock is read.
 */
const SOURCES = resolve('src');
const CHARS = 400;
/** Twice the text may take that much more work. A square takes four times as much. */
const MAX_GROWTH = 2.6;
/** So few steps for each character are no burden, however they grow at first. */
const FEW_STEPS = 12;
const MAX_STEPS = 2_000_000;

/** Expressions whose texts are short, whoever sends them. They may grow faster, but not beyond `MAX_SHORT_STEPS` there. */
const SHORT_TEXTS: readonly { file: string; source: string; longest: number; because: string }[] = [
  { file: 'http/body/read-input.ts', source: '\\{(\\w+)\\*\\}(.+)$', longest: 120, because: 'routes of our own' },
  {
    file: 'http/routes/router-path.ts',
    source: '^(.*)\\/\\{(\\w+)\\*\\}(.*)$',
    longest: 120,
    because: 'routes of our own',
  },
  {
    file: 'http/routes/operation-routes.ts',
    source: '^(.*\\{path\\*\\})(\\/.+)$',
    longest: 120,
    because: 'routes of our own',
  },
  {
    file: 'sources/secrets/secret-search.ts',
    source: '[A-Za-z0-9+/_-]*$',
    longest: 3,
    because: 'three characters are cut out for it',
  },
  { file: 'web/data/words.ts', source: '\\.?0+$', longest: 330, because: 'a number as toFixed writes it' },
];
const MAX_SHORT_STEPS = 200_000;

interface Found {
  readonly place: string;
  readonly expression: RegExp;
}

const written = sourceExpressions(SOURCES);
const made: Found[] = [];
const PlainRegExp = globalThis.RegExp;

/** What makes an expression that its module does not make when it is loaded. */
const MAKING: Readonly<Record<string, (loaded: Record<string, (...given: unknown[]) => unknown>) => unknown>> = {
  'sources/formats/ard-link.ts': ({ ardLinkOf }) => ardLinkOf?.('<link rel="ard" href="/x">', 'http://127.0.0.1/'),
  'sources/secrets/secret-references.ts': ({ publicUrl }) => publicUrl?.('http://user:word@host/'),
  'web/manage/client-config.ts': ({ serversOf }) => serversOf?.('{"mcpServers":{}}'),
  'web/parts/highlight.tsx': ({ Highlight }) => Highlight?.({ text: 'a word', query: 'word' }),
};

beforeAll(async () => {
  const files = [...new Set(written.filter(({ expression }) => expression === undefined).map(({ file }) => file))];
  for (const file of files) {
    globalThis.RegExp = new Proxy(PlainRegExp, {
      construct(target, given, base) {
        const expression = Reflect.construct(target, given, base) as RegExp;
        if (new Error().stack?.includes(`/src/${file}`))
          made.push({ place: file, expression: new PlainRegExp(expression) });
        return expression;
      },
    });
    const loaded = (await import(join(SOURCES, file))) as Record<string, (...given: unknown[]) => unknown>;
    MAKING[file]?.(loaded);
    globalThis.RegExp = PlainRegExp;
  }
});

afterAll(() => {
  globalThis.RegExp = PlainRegExp;
});

const shortText = ({ place, expression }: Found) =>
  SHORT_TEXTS.find(({ file, source }) => place.startsWith(file) && source === expression.source);

/** The text that makes the work of an expression grow too fast; undefined if there is none. */
function worstOf(found: Found): string | undefined {
  for (const expression of choicesOf(found.expression)) {
    const worst = worstOfOne({ ...found, expression }, shortText(found)?.longest);
    if (worst !== undefined) return worst;
  }
  return undefined;
}

function worstOfOne({ place, expression }: Found, longest: number | undefined): string | undefined {
  const counted = new CountedExpression(expression);
  const shown = (pump: Pump, steps: string) => `${place} ${expression} takes ${steps} of ${JSON.stringify(pump)}`;
  for (const pump of pumpsOf(expression, counted)) {
    const half = counted.matchAll(pumpText(pump, longest ?? CHARS), MAX_STEPS);
    if (longest !== undefined) {
      if (half.steps > MAX_SHORT_STEPS) return shown(pump, `${half.steps} steps for ${longest} characters`);
      continue;
    }
    if (half.stopped) return shown(pump, `more than ${MAX_STEPS} steps for ${CHARS} characters`);
    if (half.steps < CHARS * FEW_STEPS) continue;
    const whole = counted.matchAll(pumpText(pump, 2 * CHARS), 4 * MAX_STEPS);
    if (whole.stopped || whole.steps > MAX_GROWTH * half.steps)
      return shown(pump, `${half.steps} steps for ${CHARS} characters, ${whole.steps} for twice as many`);
  }
  return undefined;
}

describe('the counter', () => {
  it('finds the matches that the engine finds', () => {
    for (const { file, expression } of written) {
      if (expression === undefined || expression.sticky) continue;
      const counted = new CountedExpression(expression);
      const every = new RegExp(
        expression.source,
        expression.flags.includes('g') ? expression.flags : `${expression.flags}g`,
      );
      for (const pump of pumpsOf(expression, counted).filter((_, index) => index % 9 === 0)) {
        const text = pumpText(pump, 40);
        const { matches, stopped } = counted.matchAll(text, MAX_STEPS);
        if (stopped) continue;
        expect({ file, text, matches }).toEqual({
          file,
          text,
          matches: [...text.matchAll(every)].map(([match]) => match),
        });
      }
    }
  }, 120_000);

  it.each([
    ['/+ at the end', /\/+$/],
    ['blanks around commas', /\s*,\s*/],
    ['the end of a heading', /^(#{1,6})[ \t]+(\S.*?)[ \t#]*$/],
    ['digits with a letter among them', /[\p{L}\d@$!]*\p{L}[\p{L}\d@$!]*/gu],
    ['a token that begins again and again', /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/],
    ['an end that a start hides', /^-+|-+$/g],
    ['choices that overlap', /^(?:a|a?b?)*$/],
    ['a comment without an end', /<!--[\s\S]*?-->/g],
  ])('sees that %s takes too long', (_, expression) => {
    expect(worstOf({ place: 'here', expression })).toBeDefined();
  });

  it.each([[/^[a-z]+(?:-[a-z]+)*$/], [/(?<!\/)\/+/g], [/"[^"]*"/g], [/(?:foo|bar){1,40}/], [/\$\{[^{}]*\}/g]])(
    'finds nothing wrong with %s',
    (expression) => {
      expect(worstOf({ place: 'here', expression })).toBeUndefined();
    },
  );
});

describe('the time of every expression grows with the text', () => {
  it.each(readdirSync(SOURCES).filter((name) => !name.includes('.')))(
    'src/%s',
    (folder) => {
      const own = written.flatMap(({ file, line, expression }) =>
        expression !== undefined && file.startsWith(`${folder}/`) ? [{ place: `${file}:${line}`, expression }] : [],
      );
      expect(own.map(worstOf).filter((worst) => worst !== undefined)).toEqual([]);
    },
    120_000,
  );

  it('those that are made when the program runs', () => {
    const places = written.filter(({ expression }) => expression === undefined).map(({ file }) => file);
    expect(places.filter((file) => !made.some(({ place }) => place === file))).toEqual([]);
    expect(made.map(worstOf).filter((worst) => worst !== undefined)).toEqual([]);
  }, 120_000);

  it('has no row for an expression that is gone', () => {
    const rows = SHORT_TEXTS.filter(
      (row) => !written.some(({ file, expression }) => row.file === file && row.source === expression?.source),
    );
    expect(rows).toEqual([]);
  });
});
