import { type ArdKind, ardKindOf } from '../../model/ard-media-types.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { jsonChars } from '../../model/parse/check-json.ts';
import { LIMITS } from '../../model/parse/limits.ts';
import { slugOf } from '../../model/text/slug.ts';
import { withoutClaims } from './registry-claims.ts';

const MAX_IDENTIFIER = 512;
const MAX_QUERIES = 20;
const MAX_LISTED = 100;

/**
 * A domain, then names of letters, digits and `._-`, with `:` or `/` between them. `urn:ai:` is the older spelling. Any other
 * form could choose an arbitrary path.
 */
const IDENTIFIER = /^urn:air?:[a-z0-9][a-z0-9.-]*(?:[:/][a-z0-9_-][a-z0-9._-]*)+$/i;

export const words = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const list = (value: unknown, max: number): readonly string[] =>
  (Array.isArray(value) ? value : []).filter((item) => typeof item === 'string' && item.length <= 512).slice(0, max);

export interface ArdHead {
  readonly entry: JsonObject;
  readonly identifier: string;
  readonly mediaType: string;
  /** Undefined for a type that cannot be read. */
  readonly kind: ArdKind | undefined;
}

/** The identifier and the kind of an entry. Throws INVALID_FILE for an entry without a valid identifier. */
export function readArdHead(entry: unknown): ArdHead {
  const identifier = isJsonObject(entry) ? words(entry.identifier) : '';
  if (!isJsonObject(entry) || !IDENTIFIER.test(identifier) || identifier.length > MAX_IDENTIFIER) {
    const message =
      identifier === ''
        ? 'An entry of the manifest has no identifier.'
        : `'identifier' of an entry is '${identifier.slice(0, 100)}': must look like urn:air:example.com:tools:name.`;
    throw new DowserError('INVALID_FILE', message, { field: 'identifier' });
  }
  // `mediaType` is the older name of `type`.
  const mediaType = words(entry.type ?? entry.mediaType);
  return { entry, identifier, mediaType, kind: ardKindOf(mediaType) };
}

/** What an entry without a valid identifier is called in reports. */
export const shownIdentifier = (entry: unknown): string =>
  isJsonObject(entry) ? words(entry.identifier).slice(0, MAX_IDENTIFIER) : '';

export interface JoinedEntry {
  readonly entity: JsonObject;
  readonly warnings: readonly string[];
}

/**
 * Merges a document and its entry: the document describes the thing, the entry adds search terms and is kept as it came. The
 * path comes from the identifier, which is unique. Neither may set the owner or the trust of the entity. `url` is the address
 * of the document, if it has one.
 */
export function joinArdEntry({ entry, identifier, kind }: ArdHead, artifact: JsonObject, url: string): JoinedEntry {
  const name = words(entry.displayName);
  const description = words(entry.description);
  const version = words(entry.version);
  const own = words(artifact.description);
  const queries = list(entry.representativeQueries, MAX_QUERIES);
  const capabilities = list(entry.capabilities, MAX_LISTED);
  const published = publishedEntry(entry, identifier, url);
  const entity = {
    ...withoutClaims(artifact),
    type: kind,
    path: `/${identifier
      .replace(/^urn:air?:/i, '')
      .split(/[:/]/)
      .map((piece) => (piece.includes('.') ? piece.toLowerCase() : slugOf(piece)))
      .join('/')}`,
    name: words(artifact.name) === '' ? (name === '' ? identifier : name) : artifact.name,
    description:
      own === '' || own === description ? description : [own, description].filter((text) => text !== '').join('\n\n'),
    tags: [...new Set([...list(artifact.tags, MAX_LISTED), ...list(entry.tags, MAX_LISTED)])],
    ...(version === '' || artifact.version !== undefined ? {} : { version: version.slice(0, 128) }),
    metadata: {
      ...(isJsonObject(artifact.metadata) ? artifact.metadata : {}),
      ard_identifier: identifier,
      ...(queries.length === 0 ? {} : { representative_queries: queries }),
      ...(capabilities.length === 0 ? {} : { capabilities }),
    },
    ard_entry: published.entry,
  };
  return { entity, warnings: published.warnings };
}

/** The entry without its document, and with a trust manifest only of its own publisher. */
function publishedEntry(entry: JsonObject, identifier: string, url: string) {
  const { data: _data, url: _url, trustManifest, ...rest } = entry;
  const [, , publisher = ''] = identifier.split(/[:/]/);
  const trusted = trustManifest !== undefined && isOf(trustManifest, publisher);
  const kept = { ...rest, ...(url === '' ? {} : { url }), ...(trusted ? { trustManifest } : {}) };
  const tooLarge = jsonChars(kept, LIMITS.object_chars.max) > LIMITS.object_chars.max;
  const warnings =
    trustManifest === undefined || trusted
      ? []
      : [`The trust manifest of ${identifier} is not of ${publisher}, and was dropped.`];
  return { entry: tooLarge ? { identifier } : kept, warnings };
}

/** Whether the identity of a trust manifest is that of a domain, or of a name below it. */
function isOf(manifest: unknown, domain: string): boolean {
  const identity = isJsonObject(manifest) ? words(manifest.identity).toLowerCase() : '';
  const host = identity.replace(/^(?:did:web:|spiffe:\/\/|https?:\/\/|dns:|urn:air:)/, '').split(/[:/#?]/)[0] ?? '';
  return host === domain.toLowerCase() || host.endsWith(`.${domain.toLowerCase()}`);
}
