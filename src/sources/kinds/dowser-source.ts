import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { type FetchOptions, fetchDocument, fetchText } from '../fetch/read-document.ts';
import { type RemoteSpec, remoteSource } from '../fetch/remote-source.ts';
import { parseJsonWithComments } from '../formats/json-with-comments.ts';
import { publicUrl } from '../secrets/secret-references.ts';
import type { Source, SourceContext, SourceItem } from '../source.ts';

const PAGE = 200;
/** More than any registry has. Stops a loop of cursors. */
const MAX_PAGES = 100_000;

/** Whether an address is the start page of a Dowser. */
export async function isDowser(address: string, options: FetchOptions): Promise<boolean> {
  if (new URL(address).pathname !== '/') return false;
  try {
    const { status, text } = await fetchDocument(new URL('/health', address).href, options);
    return status === 200 && (JSON.parse(text) as { service?: unknown }).service === 'dowser';
  } catch {
    options.signal.throwIfAborted();
    return false;
  }
}

/** Everything that the caller may read at another Dowser, page by page. The servers and agents themselves are not called. */
export function dowserSource(spec: RemoteSpec, context: SourceContext): Source {
  const traits = { kind: 'dowser', live: false, directory: true } as const;
  return remoteSource(spec, context, traits, async function* ({ url, headers, signal }) {
    const list = new URL('/api/entities', url);
    let limit = PAGE;
    for (let page = 0; page < MAX_PAGES; page++) {
      list.searchParams.set('limit', String(limit));
      const read = await readPage(list.href, { limits: context.limits, signal, headers }, limit > 1);
      if (read === 'too large') {
        limit = Math.max(1, Math.floor(limit / 4));
        continue;
      }
      for (const record of read.entities) yield toItem(record);
      if (read.cursor === undefined || read.cursor === list.searchParams.get('cursor')) return;
      list.searchParams.set('cursor', read.cursor);
    }
  });
}

interface EntityPage {
  readonly entities: readonly unknown[];
  readonly cursor: string | undefined;
}

/** Pages of long texts may be larger than one answer may be. */
async function readPage(
  address: string,
  options: FetchOptions,
  mayBeSmaller: boolean,
): Promise<EntityPage | 'too large'> {
  let text: string;
  try {
    text = await fetchText(address, options);
  } catch (thrown) {
    if (mayBeSmaller && thrown instanceof DowserError && thrown.code === 'BODY_TOO_LARGE') return 'too large';
    throw thrown;
  }
  const shown = publicUrl(address).text;
  const answer = parseJsonWithComments(text, shown);
  const { entities, cursor } = isJsonObject(answer) ? answer : {};
  if (!Array.isArray(entities)) {
    throw new DowserError('INVALID_FILE', `${shown} has no list 'entities', so it is not a Dowser.`);
  }
  return { entities, cursor: typeof cursor === 'string' && cursor !== '' ? cursor : undefined };
}

/** Names of users and groups mean others here. */
const OF_THERE: readonly string[] = ['owner', 'allowed_groups', 'trust_level'];

function toItem(record: unknown): SourceItem {
  const { entity, updated_at } = isJsonObject(record) ? record : {};
  if (!isJsonObject(entity) || typeof entity.type !== 'string' || typeof entity.path !== 'string') {
    const problem = new DowserError('INVALID_FILE', 'An entry of the list is not an entity.');
    return { part: JSON.stringify(record).slice(0, 100), problem: toDowserError(problem) };
  }
  return {
    part: `${entity.type}:${entity.path}`,
    entity: ownEntity(entity),
    warnings: [],
    ...(typeof updated_at === 'string' ? { updatedAt: updated_at } : {}),
  };
}

/**
 * Who could read it there cannot be said here, so that anything less than public is private. The user of another Dowser is not
 * the user of this one: its memories are foreign texts.
 */
function ownEntity(entity: JsonObject): JsonObject {
  const kept = Object.fromEntries(Object.entries(entity).filter(([field]) => !OF_THERE.includes(field)));
  const source = entity.type === 'memory' ? { source_class: 'document' } : {};
  return { ...kept, ...source, visibility: entity.visibility === 'public' ? 'public' : 'private' };
}
