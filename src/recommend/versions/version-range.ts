import { compareVersions, isPreRelease, parseVersion, type Version } from './version.ts';

type Operator = '<' | '<=' | '>' | '>=' | '=' | '!=';
interface Bound {
  readonly operator: Operator;
  readonly version: Version;
}
/** All of these. Null for a text that is no range. */
type Bounds = readonly Bound[] | null;

/**
 * Whether a version is in a range, in the words of its ecosystem: npm, pypi, cargo, rubygems, packagist or maven. Elsewhere only
 * the same text is. A text that is no range or no version is in nothing.
 */
export function satisfies(version: string, range: string, ecosystem = 'npm'): boolean {
  const wanted = range.trim();
  const known = Object.hasOwn(DIALECTS, ecosystem) ? DIALECTS[ecosystem] : undefined;
  if (known === undefined) return wanted !== '' && wanted === version.trim();
  const parsed = parseVersion(version);
  if (parsed === null || wanted === '' || wanted.length > MAX_CHARS) return false;
  return known(wanted).some((bounds) => bounds !== null && isWithin(parsed, bounds));
}

/** The newest of these versions that is in a range; null if none is. */
export function newestWithin(versions: readonly string[], range: string, ecosystem?: string): string | null {
  let newest: { readonly text: string; readonly version: Version } | null = null;
  for (const text of versions) {
    const version = parseVersion(text);
    if (version === null || !satisfies(text, range, ecosystem)) continue;
    if (newest === null || compareVersions(version, newest.version) > 0) newest = { text, version };
  }
  return newest?.text ?? null;
}

const MAX_CHARS = 1024;

const MEETS: Readonly<Record<Operator, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
};

/** A pre-release counts only where the range names one of the same release: nobody gets one by accident. */
function isWithin(version: Version, bounds: readonly Bound[]): boolean {
  if (!bounds.every((bound) => MEETS[bound.operator](compareVersions(version, bound.version)))) return false;
  if (!isPreRelease(version)) return true;
  const release = { ...version, suffix: [] };
  return bounds.some((bound) => {
    return isPreRelease(bound.version) && compareVersions(release, { ...bound.version, suffix: [] }) === 0;
  });
}

const bound = (operator: Operator, release: readonly number[], suffix: Version['suffix'] = []): Bound => ({
  operator,
  version: { release, suffix },
});
/** The first version that is higher in the number at a place. Its own pre-releases are out as well. */
const below = (release: readonly number[], place: number): Bound =>
  bound('<', [...release.slice(0, place), (release[place] ?? 0) + 1]);
const from = ({ release, suffix }: Version): Bound => bound('>=', release, suffix);

/** `^1.2`: up to the next number that is not 0. */
function caret(version: Version): Bounds {
  const { release } = version;
  const first = release.findIndex((number) => number > 0);
  return [from(version), below(release, first === -1 ? release.length - 1 : first)];
}

/** `~1.2`: up to the next number of the second place. */
const tilde = (version: Version): Bounds => [
  from(version),
  below(version.release, Math.min(1, version.release.length - 1)),
];

/** `~> 2.1`, `~=2.1`: up to the next number before the last place. */
const nearly = (version: Version): Bounds => [
  from(version),
  below(version.release, Math.max(0, version.release.length - 2)),
];

/** `1.2.x`, `1.*`, and in npm `1.2`. */
function anyOf(text: string): Bounds {
  const numbers = text.split('.').filter((part) => !/^[x*]$/i.test(part));
  if (numbers.length === 0) return [];
  const version = parseVersion(numbers.join('.'));
  return version === null ? null : [from(version), below(version.release, version.release.length - 1)];
}

type Bare = (version: Version, text: string) => Bounds;
const exactly: Bare = (version) => [{ operator: '=', version }];
/** In npm, fewer than three numbers leave the rest open. */
const openEnd: Bare = (version, text) => (version.release.length < 3 ? anyOf(text) : exactly(version, text));

const ONE = /^(\^|~>|~=|~|===?|!=|<=|>=|<|>|=)?\s*(\S+)$/;

function oneBound(text: string, bare: Bare, tildeMeans: Bare): Bounds {
  const [, operator = '', rest = ''] = ONE.exec(text) ?? [];
  if (/(?:^|\.)[x*](?:\.|$)/i.test(rest)) {
    if (operator !== '!=') return operator === '' || /^=+$/.test(operator) ? anyOf(rest) : null;
    return null;
  }
  const version = parseVersion(rest);
  if (version === null) return null;
  switch (operator) {
    case '':
      return bare(version, rest);
    case '^':
      return caret(version);
    case '~':
      return tildeMeans(version, rest);
    case '~>':
    case '~=':
      return nearly(version);
    case '=':
    case '==':
    case '===':
      return exactly(version, rest);
    default:
      return [{ operator: operator as Operator, version }];
  }
}

interface Dialect {
  readonly or: RegExp;
  /** Between bounds that must all hold. */
  readonly and: RegExp;
  readonly bare: Bare;
  readonly tilde: Bare;
}

/** A range of one dialect: alternatives of bounds. */
const inDialect =
  ({ or, and, bare, tilde: tildeMeans }: Dialect) =>
  (range: string): readonly Bounds[] =>
    range.split(or).map((alternative) => {
      const [, low, high] = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(alternative) ?? [];
      const joined = low === undefined ? alternative : `>=${low} <=${high}`;
      // `>= 1.2` is one bound.
      const texts = joined
        .trim()
        .replaceAll(/([<>=~^!])\s+/g, '$1')
        .split(and);
      const bounds = texts.map((text) => oneBound(text, bare, tildeMeans));
      return bounds.includes(null) ? null : bounds.flatMap((some) => some ?? []);
    });

const NEVER = /(?!)/;
const INTERVAL = /([[(])\s*([^,\])]*)\s*(?:(,)\s*([^\])]*)\s*)?([\])])/g;

/** `[1.0,2.0)`, several with commas between; a bare version is the least. */
function maven(range: string): readonly Bounds[] {
  if (!/[[(]/.test(range)) return [oneBound(`>=${range}`, exactly, exactly)];
  return [...range.matchAll(INTERVAL)].map(([, open, low = '', comma, high = '', close]): Bounds => {
    if (comma === undefined) return oneBound(low.trim(), exactly, exactly);
    const ends = [
      low.trim() === '' ? [] : oneBound(`${open === '[' ? '>=' : '>'}${low.trim()}`, exactly, exactly),
      high.trim() === '' ? [] : oneBound(`${close === ']' ? '<=' : '<'}${high.trim()}`, exactly, exactly),
    ];
    return ends.includes(null) ? null : ends.flatMap((some) => some ?? []);
  });
}

const DIALECTS: Readonly<Record<string, (range: string) => readonly Bounds[]>> = {
  npm: inDialect({ or: /\|\|/, and: /\s+/, bare: openEnd, tilde }),
  pypi: inDialect({ or: NEVER, and: /\s*,\s*/, bare: exactly, tilde: nearly }),
  cargo: inDialect({ or: NEVER, and: /\s*,\s*/, bare: caret, tilde }),
  rubygems: inDialect({ or: NEVER, and: /\s*,\s*/, bare: exactly, tilde: nearly }),
  packagist: inDialect({ or: /\|\|?/, and: /\s*,\s*|\s+/, bare: exactly, tilde: nearly }),
  maven,
};
