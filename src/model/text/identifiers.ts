import { isJsonObject } from '../json/json-object.ts';
import { beforeChars, trimEndChars } from './trim-chars.ts';

/**
 * Addresses and package names identify an entity as a whole: `https://github.com/acme/tools` must not be found by `github`. So
 * they are indexed as one term each, between these marks, which are removed from all other text.
 */
export const IDENTIFIER_MARK = '\u0002';

const MAX_IDENTIFIER_CHARS = 512;

/** One spelling for all ways to write an address or a package name: no protocol, no `www.`, no `.git`, lower case. */
function folded(identifier: string): string {
  const address = identifier
    .trim()
    .toLowerCase()
    .replace(/^(git\+)?[a-z][a-z0-9+.-]*:\/\/(www\.)?/u, '');
  return trimEndChars(beforeChars(address, '?#'), '/').replace(/\.git$/u, '');
}

/** The text without marks, so that it cannot claim an identifier. */
export const withoutMarks = (text: string) => text.replaceAll(IDENTIFIER_MARK, ' ');

/** The term of an identifier; null for text that cannot be one. */
export function identifierTerm(text: string): string | null {
  const identifier = folded(text);
  if (identifier === '' || identifier.length > MAX_IDENTIFIER_CHARS) return null;
  if (/\s/u.test(identifier) || identifier.includes(IDENTIFIER_MARK)) return null;
  return IDENTIFIER_MARK + identifier;
}

/** The identifiers of an entity as text for the index. */
export function identifierText(identifiers: readonly (string | undefined)[]): string {
  const terms = new Set<string>();
  for (const identifier of identifiers) {
    const term = identifier === undefined ? null : identifierTerm(identifier);
    if (term !== null) terms.add(term);
  }
  return [...terms].map((term) => term + IDENTIFIER_MARK).join('\n');
}

interface Runnable {
  readonly local_runtime?: Readonly<Record<string, unknown>> | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The names of the packages that a server runs from: those of its runtime and of `packages` in its metadata. */
export function packageNames({ local_runtime = {}, metadata }: Runnable): readonly string[] {
  const packages = Array.isArray(metadata.packages) ? metadata.packages.filter(isJsonObject) : [];
  const names = [local_runtime.package, local_runtime.image, ...packages.map(({ identifier }) => identifier)];
  return names.filter((name) => typeof name === 'string');
}
