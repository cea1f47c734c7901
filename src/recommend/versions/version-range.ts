import { compareVersions, isPreRelease, parseVersion, type Version } from './version.ts';

type Operator = '<' | '<=' | '>' | '>=' | '=' | '!=';
interface Bound {
  readonly operator: Operator;
  readonly version: Version;
  /** Compare only the numbers that the bound names: `<=18` holds for 18.2. */
  readonly isPartial: boolean;
}
/** All of these. Null for a text that is no range. */
type Bounds = readonly Bound[] | null;

/**
 * Whether a version is in a range, in the words of its ecosystem: npm, pypi, cargo, rubygems, packagist or maven. Elsewhere only
 * the same text is. A text that is no range or no version is in nothing.
 */
export function satisfies(version: string, range: string, ecosystem = 'npm'): boolean {
  if (!isKnown(ecosystem)) return range.trim() !== '' && range.trim() === version.trim();
  const parsed = parseVersion(version);
  if (parsed === null) return false;
  return alternatives(range, ecosystem).some((bounds) => bounds !== null && isWithin(parsed, bounds));
}

/** Whether all of a range can be read. If not, a version that is not in it may fit all the same. */
export function isReadableRange(range: string, ecosystem: string): boolean {
  if (!isKnown(ecosystem)) return range.trim() !== '';
  const read = alternatives(range, ecosystem);
  return read.length > 0 && !read.includes(null);
}

export function isReadableVersion(version: string, ecosystem: string): boolean {
  return isKnown(ecosystem) ? parseVersion(version) !== null : version.trim() !== '';
}

const isKnown = (ecosystem: string): boolean => Object.hasOwn(DIALECTS, ecosystem);

function alternatives(range: string, ecosystem: string): readonly Bounds[] {
  return range.length > MAX_CHARS ? [] : DIALECTS[ecosystem]!(range.trim());
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

/** A pre-release counts only where the range names one of the same release: it is never taken by accident. */
function isWithin(version: Version, bounds: readonly Bound[]): boolean {
  if (!bounds.every((bound) => MEETS[bound.operator](orderOf(version, bound)))) return false;
  if (!isPreRelease(version)) return true;
  const release = { ...version, suffix: [] };
  return bounds.some((bound) => {
    return isPreRelease(bound.version) && compareVersions(release, { ...bound.version, suffix: [] }) === 0;
  });
}

function orderOf({ release, suffix }: Version, { version, isPartial }: Bound): number {
  const compared = isPartial ? { release: release.slice(0, version.release.length), suffix: [] } : { release, suffix };
  return compareVersions(compared, version);
}

const bound = (operator: Operator, release: readonly number[], suffix: Version['suffix'] = []): Bound => ({
  operator,
  version: { release, suffix },
  isPartial: false,
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

type Bare = (version: Version, isPartial: boolean) => Bounds;
const exactly: Bare = (version, isPartial) => [{ operator: '=', version, isPartial }];

interface Dialect {
  readonly or: RegExp;
  /** Between bounds that must all hold. */
  readonly and: RegExp;
  readonly bare: Bare;
  readonly tilde: Bare;
  /** Fewer than three numbers leave the rest open, and `-0` is the first pre-release. */
  readonly isSemver: boolean;
  /** An empty text allows any version. */
  readonly emptyIsAny: boolean;
}

const ONE = /^(\^|~>|~=|~|===?|!=|<=|>=|<|>|=)?\s*(\S+)$/;
/** `1.2.x`, `1.*`, `*`: the numbers before the open place, each with its dot. */
const OPEN = /^v?((?:\d+\.)*)[x*](?:\.[x*])*$/i;
/** `1.x.3` is no range, and `x` is no pre-release. */
const MISPLACED = /(?:^|\.)[x*](?:[.-]|$)/i;
const FIRST_PRE_RELEASE = /^(.*\d)-0$/;

function oneBound(text: string, { bare, tilde: tildeMeans, isSemver }: Dialect): Bounds {
  const [, operator = '', rest = ''] = ONE.exec(text) ?? [];
  const numbers = OPEN.exec(rest)?.[1]?.slice(0, -1);
  if (numbers === undefined && MISPLACED.test(rest)) return null;
  if (numbers === '') return /^[<>]$|!|~=/.test(operator) ? null : [];
  const version = parseBound(numbers ?? rest, isSemver);
  if (version === null) return null;
  const isShort = isSemver && version.release.length < 3 && version.suffix.length === 0;
  const isPartial = numbers !== undefined || isShort;
  switch (operator) {
    case '':
      return numbers === undefined ? bare(version, isPartial) : exactly(version, isPartial);
    case '^':
      return caret(version);
    case '~':
    case '~>':
      return tildeMeans(version, isPartial);
    case '~=':
      return numbers === undefined ? nearly(version) : null;
    case '=':
    case '==':
    case '===':
      return exactly(version, isPartial);
    case '>=':
      return [from(version)];
    default:
      return [{ operator: operator as Operator, version, isPartial }];
  }
}

function parseBound(text: string, isSemver: boolean): Version | null {
  const first = isSemver ? FIRST_PRE_RELEASE.exec(text)?.[1] : undefined;
  const version = parseVersion(first ?? text);
  return version === null || first === undefined ? version : { ...version, suffix: [0] };
}

/** A range of one dialect: alternatives of bounds. */
const inDialect =
  (dialect: Dialect) =>
  (range: string): readonly Bounds[] =>
    range.split(dialect.or).map((alternative) => {
      if (dialect.emptyIsAny && alternative.trim() === '') return [];
      const [, low, high] = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(alternative) ?? [];
      // The end is open in every dialect: `1.2 - 2` contains 2.5.
      if (low !== undefined) {
        return allOf([oneBound(`>=${low}`, dialect), oneBound(`<=${high}`, { ...dialect, isSemver: true })]);
      }
      // `>= 1.2` is one bound.
      const texts = alternative
        .trim()
        .replaceAll(/([<>=~^!])\s+/g, '$1')
        .split(dialect.and);
      return allOf(texts.map((text) => oneBound(text.trim(), dialect)));
    });

const allOf = (parts: readonly Bounds[]): Bounds => (parts.includes(null) ? null : parts.flatMap((some) => some ?? []));

const NEVER = /(?!)/;
const INTERVAL = /([[(])([^[(,\])]*)(?:(,)([^[(\])]*))?([\])])/g;

const IN_MAVEN: Dialect = {
  or: NEVER,
  and: NEVER,
  bare: exactly,
  tilde: exactly,
  isSemver: false,
  emptyIsAny: false,
};

/** `[1.0,2.0)`, several with commas between; a bare version is the least. */
function maven(range: string): readonly Bounds[] {
  if (!/[[(]/.test(range)) return [oneBound(`>=${range}`, IN_MAVEN)];
  return [...range.matchAll(INTERVAL)].map(([, open, low = '', comma, high = '', close]): Bounds => {
    if (comma === undefined) return oneBound(low.trim(), IN_MAVEN);
    return allOf([
      low.trim() === '' ? [] : oneBound(`${open === '[' ? '>=' : '>'}${low.trim()}`, IN_MAVEN),
      high.trim() === '' ? [] : oneBound(`${close === ']' ? '<=' : '<'}${high.trim()}`, IN_MAVEN),
    ]);
  });
}

const COMMAS = { or: NEVER, and: /,/, isSemver: false, emptyIsAny: false };

const DIALECTS: Readonly<Record<string, (range: string) => readonly Bounds[]>> = {
  npm: inDialect({ or: /\|\|/, and: /\s+/, bare: exactly, tilde, isSemver: true, emptyIsAny: true }),
  pypi: inDialect({ ...COMMAS, bare: exactly, tilde: nearly, emptyIsAny: true }),
  cargo: inDialect({ ...COMMAS, bare: caret, tilde, isSemver: true }),
  rubygems: inDialect({ ...COMMAS, bare: exactly, tilde: nearly }),
  packagist: inDialect({ ...COMMAS, or: /\|\|?/, and: /[,\s]+/, bare: exactly, tilde: nearly }),
  maven,
};
