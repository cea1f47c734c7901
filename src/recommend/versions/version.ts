/** A version of any ecosystem: numbers, and what stands behind them. */
export interface Version {
  readonly release: readonly number[];
  /** `beta.1` of `2.0.0-beta.1` as parts; empty for a release. */
  readonly suffix: readonly (string | number)[];
}

const VERSION = /^v?(?:\d+!)?(\d+(?:\.\d+)*)(?:[-._]?([a-z][a-z0-9.\-_]*))?(?:\+\S*)?$/i;
/** Suffixes of releases themselves. */
const RELEASE = /^(?:final|ga|release)$/i;
const MAX_CHARS = 256;

/** Null for a text that is no version. */
export function parseVersion(text: string): Version | null {
  const [, numbers, behind = ''] = text.length > MAX_CHARS ? [] : (VERSION.exec(text.trim()) ?? []);
  if (numbers === undefined) return null;
  const parts = RELEASE.test(behind) ? [] : (behind.toLowerCase().match(/\d+|[a-z]+/g) ?? []);
  return {
    release: numbers.split('.').map(Number),
    suffix: parts.map((part) => (/^\d/.test(part) ? Number(part) : part)),
  };
}

export const isPreRelease = ({ suffix }: Version): boolean => suffix.length > 0 && suffix[0] !== 'post';

/** `2.0` and `2.0.0` are the same. A pre-release comes before its release, a `post` release after it. */
export function compareVersions(a: Version, b: Version): number {
  for (let at = 0; at < Math.max(a.release.length, b.release.length); at++) {
    const order = (a.release[at] ?? 0) - (b.release[at] ?? 0);
    if (order !== 0) return order;
  }
  const stage = stageOf(a) - stageOf(b);
  if (stage !== 0) return stage;
  for (let at = 0; at < Math.max(a.suffix.length, b.suffix.length); at++) {
    const order = compareParts(a.suffix[at], b.suffix[at]);
    if (order !== 0) return order;
  }
  return 0;
}

const stageOf = (version: Version): number => (version.suffix.length === 0 ? 1 : isPreRelease(version) ? 0 : 2);

/** Fewer parts come first, numbers before words. `dev` comes before `alpha`, as pip and Composer have it. */
function compareParts(a: string | number | undefined, b: string | number | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  if (a === b) return 0;
  if (a === 'dev' || b === 'dev') return a === 'dev' ? -1 : 1;
  return a < b ? -1 : 1;
}
