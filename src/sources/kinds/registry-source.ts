import { entityId } from '../../model/entity.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { trimEndChars } from '../../model/text/trim-chars.ts';
import { fetchText } from '../fetch/read-document.ts';
import { type RemoteSpec, remoteSource } from '../fetch/remote-source.ts';
import { parseJsonWithComments } from '../formats/json-with-comments.ts';
import { readRegistryEntry } from '../formats/server-document.ts';
import { publicUrl } from '../secrets/secret-references.ts';
import type { Source, SourceContext, SourceItem } from '../source.ts';

/** The largest page of the official registry. */
const PAGE = 100;
/** A million entries: more than any registry has. Stops a loop of cursors. */
const MAX_PAGES = 10_000;

/** `https://registry.example` -> `https://registry.example/v0.1/servers` */
export function serverListAddress(address: string): URL {
  const url = new URL(address);
  const path = trimEndChars(url.pathname, '/');
  url.pathname = /\/v0(?:\.\d+)?\/servers$/.test(path) ? path : `${path.replace(/\/v0(?:\.\d+)?$/, '')}/v0.1/servers`;
  return url;
}

/**
 * All servers of a registry with the official API, page by page, the latest version of each. An invalid entry does not stop
 * the others. The servers themselves are not called. `since` (ISO 8601) asks only for entries that changed or were
 * withdrawn after it.
 */
export function registrySource(spec: RemoteSpec, context: SourceContext, since?: string): Source {
  const traits = { kind: 'registry', live: false, directory: true } as const;
  return remoteSource(spec, context, traits, async function* ({ url, headers, signal }) {
    const list = serverListAddress(url);
    list.searchParams.set('limit', String(PAGE));
    list.searchParams.set('version', 'latest');
    if (since !== undefined) list.searchParams.set('updated_since', since);
    for (let page = 0; page < MAX_PAGES; page++) {
      const text = await fetchText(list.href, { limits: context.limits, signal, headers });
      const { entries, next } = readPage(parseJsonWithComments(text, publicUrl(list.href).text), list.href);
      for (const [at, entry] of entries.entries()) yield* itemsOf(entry, page * PAGE + at);
      if (next === undefined || next === list.searchParams.get('cursor')) return;
      list.searchParams.set('cursor', next);
    }
  });
}

function readPage(answer: unknown, address: string): { entries: readonly unknown[]; next: string | undefined } {
  const { servers, metadata } = (answer ?? {}) as {
    servers?: unknown;
    metadata?: { nextCursor?: unknown; next_cursor?: unknown };
  };
  if (!Array.isArray(servers)) {
    throw new DowserError('INVALID_FILE', `${publicUrl(address).text} has no list 'servers', so it is not a registry.`);
  }
  const next = metadata?.nextCursor ?? metadata?.next_cursor;
  return { entries: servers, next: typeof next === 'string' && next !== '' ? next : undefined };
}

function* itemsOf(entry: unknown, at: number): Generator<SourceItem> {
  try {
    const { name, entity, status, isLatest, updatedAt } = readRegistryEntry(entry);
    // A registry may list old versions too.
    if (!isLatest) return;
    if (status === 'deleted') yield { part: name, withdrawn: entityId('mcp_server', String(entity.path)) };
    else yield { part: name, entity, warnings: [], ...(updatedAt === undefined ? {} : { updatedAt }) };
  } catch (thrown) {
    yield { part: `servers.${at}`, problem: toDowserError(thrown) };
  }
}
