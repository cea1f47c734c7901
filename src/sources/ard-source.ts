import { DowserError, toDowserError } from '../model/errors.ts';
import { isJsonObject, type JsonObject } from '../model/json-object.ts';
import { slugOf } from '../model/slug.ts';
import { fileSource } from './file-source.ts';
import { readAgentCard } from './formats/a2a-card.ts';
import { parseJsonWithComments } from './formats/json-with-comments.ts';
import { readServerDocument } from './formats/server-document.ts';
import { readSkillMd } from './formats/skill-file.ts';
import { inOrder } from './in-order.ts';
import { fetchDocument, fetchText, unreachable } from './read-document.ts';
import { withoutClaims } from './registry-claims.ts';
import { type RemoteSpec, remoteSource } from './remote-source.ts';
import { publicUrl } from './secret-references.ts';
import type { Source, SourceContext, SourceItem, SourceTraits } from './source.ts';

const words = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const list = (value: unknown, max: number): readonly string[] =>
  (Array.isArray(value) ? value : []).filter((item) => typeof item === 'string' && item.length <= 512).slice(0, max);

const TRAITS: SourceTraits = { kind: 'ard', live: false, directory: true };

/** The paths of a publisher's manifest (ARD 0.91), then the older name. */
export const ARD_PLACES = ['/.well-known/ard.json', '/.well-known/ai-catalog.json'] as const;
/** ARD appendix C: a domain, then segments of letters, digits and `._-`. Any other form could choose an arbitrary path. */
const IDENTIFIER = /^urn:air:[a-z0-9][a-z0-9.-]*(?::[a-z0-9_-][a-z0-9._-]*)+$/i;
const MAX_IDENTIFIER = 512;
const AT_ONCE = 6;
const MAX_QUERIES = 20;

const TYPES: Readonly<Record<string, 'mcp_server' | 'a2a_agent' | 'skill'>> = {
  'application/mcp-server-card+json': 'mcp_server',
  'application/a2a-agent-card+json': 'a2a_agent',
  'application/ai-skill+md': 'skill',
};

/** The text of the document that an entry refers to. */
type FetchArtifact = (url: string) => Promise<string>;

/** The entries of a manifest. Throws INVALID_FILE if it is not one. */
function ardEntries(manifest: unknown): readonly unknown[] {
  if (isJsonObject(manifest) && Array.isArray(manifest.entries)) return manifest.entries;
  throw new DowserError('INVALID_FILE', "The manifest has no list 'entries'.", {
    hint: 'An ARD manifest is the document that a publisher serves at /.well-known/ard.json.',
  });
}

/** Reads one entry and its document. A missing document is a warning: the entry alone can be searched. */
async function readArdEntry(entry: unknown, fetchArtifact: FetchArtifact): Promise<SourceItem> {
  const identifier = isJsonObject(entry) ? words(entry.identifier) : '';
  if (!isJsonObject(entry) || !IDENTIFIER.test(identifier) || identifier.length > MAX_IDENTIFIER) {
    return { part: identifier.slice(0, MAX_IDENTIFIER), problem: badIdentifier(identifier) };
  }
  const part = identifier;
  const media = words(entry.type).split(';')[0]!.toLowerCase();
  const type = Object.hasOwn(TYPES, media) ? TYPES[media] : undefined;
  if (type === undefined) return { part, skipped: `unsupported type ${media === '' ? '(none)' : media}` };
  const warnings: string[] = [];
  let artifact: JsonObject = {};
  try {
    const read = readArtifact(type, entry.data ?? (await fetchArtifact(words(entry.url))));
    artifact = read.entity;
    warnings.push(...read.warnings);
  } catch (thrown) {
    warnings.push(`Its document was not read: ${toDowserError(thrown).message}`);
  }
  return { part, entity: joined(entry, type, artifact), warnings };
}

function badIdentifier(identifier: string): DowserError {
  const message =
    identifier === ''
      ? 'An entry of the manifest has no identifier.'
      : `'identifier' of an entry is '${identifier.slice(0, 100)}': must look like urn:air:example.com:tools:name.`;
  return new DowserError('INVALID_FILE', message, { field: 'identifier' });
}

function readArtifact(
  type: string,
  data: unknown,
): { readonly entity: JsonObject; readonly warnings: readonly string[] } {
  if (type === 'skill')
    return readSkillMd(typeof data === 'string' ? data : words((data as JsonObject | null)?.content));
  const document = typeof data === 'string' ? parseJsonWithComments(data, 'The document of the entry') : data;
  return type === 'a2a_agent'
    ? readAgentCard(document, { fetched: true })
    : { entity: readServerDocument(document), warnings: [] };
}

/**
 * Merges a document and its entry: the document describes the thing, the entry adds search terms. The path comes from the
 * identifier, which is unique. Neither may set the owner or the trust of the entity.
 */
function joined(entry: JsonObject, type: string, artifact: JsonObject): JsonObject {
  const identifier = words(entry.identifier);
  const name = words(entry.displayName);
  const description = words(entry.description);
  const version = words(entry.version);
  const own = words(artifact.description);
  const queries = list(entry.representativeQueries, MAX_QUERIES);
  const capabilities = list(entry.capabilities, 100);
  return {
    ...withoutClaims(artifact),
    type,
    path: `/${identifier
      .replace(/^urn:air:/i, '')
      .split(/[:/]/)
      .map((piece) => (piece.includes('.') ? piece.toLowerCase() : slugOf(piece)))
      .join('/')}`,
    name: words(artifact.name) === '' ? (name === '' ? identifier : name) : artifact.name,
    description:
      own === '' || own === description ? description : [own, description].filter((text) => text !== '').join('\n\n'),
    tags: [...new Set([...list(artifact.tags, 100), ...list(entry.tags, 100)])],
    ...(version === '' || artifact.version !== undefined ? {} : { version: version.slice(0, 128) }),
    metadata: {
      ...(isJsonObject(artifact.metadata) ? artifact.metadata : {}),
      ard_identifier: identifier,
      ...(queries.length === 0 ? {} : { representative_queries: queries }),
      ...(capabilities.length === 0 ? {} : { capabilities }),
    },
  };
}

async function* readEntries(
  manifest: unknown,
  at: URL | null,
  { limits }: SourceContext,
  signal: AbortSignal,
): AsyncGenerator<SourceItem> {
  yield* inOrder(ardEntries(manifest), AT_ONCE, signal, async (entry) => {
    const item = await readArdEntry(entry, async (address) => {
      const url = at === null || !URL.canParse(address, at.href) ? address : new URL(address, at).href;
      return fetchText(url, { limits, signal, ...(at === null ? {} : { namedBy: at }) });
    });
    signal.throwIfAborted();
    return item;
  });
}

export function ardFileSource(path: string, context: SourceContext): Source {
  return fileSource(path, context, TRAITS, ({ text, file, signal }) =>
    readEntries(parseJsonWithComments(text, file), null, context, signal),
  );
}

/** A publisher's manifest: at the given address if it names a document, or at its well-known path. */
export function ardUrlSource(spec: RemoteSpec, context: SourceContext): Source {
  return remoteSource(spec, context, TRAITS, async function* ({ url, headers, signal }) {
    const { limits } = context;
    const named = /\.json$/i.test(new URL(url).pathname);
    const addresses = named ? [url] : ARD_PLACES.map((place) => new URL(place, url).href);
    let status = 0;
    for (const address of addresses) {
      const document = await fetchDocument(address, { limits, signal, headers });
      status = document.status;
      if (status !== 200) continue;
      const manifest = parseJsonWithComments(document.text, publicUrl(address).text);
      yield* readEntries(manifest, new URL(document.url), context, signal);
      return;
    }
    throw unreachable(url, `has no ARD manifest (the last answer was ${status})`);
  });
}
