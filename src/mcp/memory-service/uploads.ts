import type { Memories } from '../../memories/memories.ts';
import type { Memory } from '../../memories/memory-answers.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { uploadTag } from './ingest-file.ts';
import { neededTags, type ServiceArguments } from './service-arguments.ts';

const ID = /^[0-9a-f]{32}$/;
/** Uploads that a history has. */
const MAX_HISTORY = 100;
const PAGE = 100;
/** Pages of memories in which a history looks for the newest uploads. */
const MAX_PAGES = 50;

const numberIn = (memory: Memory, key: string): number => {
  const value = memory.metadata[key];
  return typeof value === 'number' ? value : 0;
};
const textIn = (memory: Memory, key: string): string => {
  const value = memory.metadata[key];
  return typeof value === 'string' ? value : '';
};

interface StoredUpload {
  /** Its newest memory. */
  readonly first: Memory;
  readonly stored: number;
}

/** What is known about an upload: everything comes from its memories. Throws NOT_FOUND. */
export async function uploadStatus(memories: Memories, id: string) {
  return statusOf(id, await needUpload(memories, id));
}

function statusOf(id: string, { first, stored }: StoredUpload) {
  const total = numberIn(first, 'upload_chunks');
  const missing = total - stored;
  const errors =
    missing <= 0
      ? []
      : [
          `${missing} of ${total} chunks are not part of this upload: they were stored before or forgotten since, or the upload was interrupted. Upload the file again to add what is missing.`,
        ];
  return {
    upload_id: id,
    status: 'completed',
    filename: textIn(first, 'upload_name'),
    file_size: numberIn(first, 'file_size'),
    chunks_processed: total,
    chunks_stored: stored,
    total_chunks: total,
    progress: 100,
    errors,
    created_at: first.created_at_iso,
    completed_at: first.created_at_iso,
  };
}

async function findUpload(memories: Memories, id: string): Promise<StoredUpload | undefined> {
  const page = ID.test(id) ? await memories.list({ tags: [uploadTag(id)], page_size: 1 }) : undefined;
  const first = page?.memories[0];
  return page === undefined || first === undefined ? undefined : { first, stored: page.total };
}

async function needUpload(memories: Memories, id: string): Promise<StoredUpload> {
  const found = await findUpload(memories, id);
  if (found !== undefined) return found;
  throw new DowserError('NOT_FOUND', `There is no upload ${showValue(id)}.`, {
    field: 'upload_id',
    hint: 'GET /api/documents/history lists the uploads.',
  });
}

/** Newest first, at most MAX_HISTORY. */
export async function uploadHistory(memories: Memories) {
  const counts = new Map(
    (await memories.counts()).tags.flatMap(({ tag, count }) => idsIn([tag]).map((id) => [id, count])),
  );
  const wanted = Math.min(counts.size, MAX_HISTORY);
  const found = new Map<string, StoredUpload>();
  for (let page = 1, more = true; more && page <= MAX_PAGES && found.size < wanted; page++) {
    const { memories: newest, has_more } = await memories.list({ source_class: 'document', page, page_size: PAGE });
    for (const first of newest) {
      for (const id of idsIn(first.tags)) {
        if (!found.has(id) && found.size < wanted) found.set(id, { first, stored: counts.get(id) ?? 1 });
      }
    }
    more = has_more;
  }
  // Behind very large uploads, or of another source by now.
  const others = [...counts.keys()].filter((id) => !found.has(id));
  for (const id of others.slice(0, wanted - found.size)) {
    const other = await findUpload(memories, id);
    if (other !== undefined) found.set(id, other);
  }
  const uploads = [...found].map(([id, one]) => statusOf(id, one));
  uploads.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || (a.upload_id < b.upload_id ? -1 : 1));
  return { uploads, total: counts.size };
}

/** The uploads that these tags name. */
function idsIn(tags: readonly string[]): readonly string[] {
  const start = uploadTag('');
  return tags.flatMap((tag) => (tag.startsWith(start) ? [tag.slice(start.length)] : [])).filter((id) => ID.test(id));
}

export async function uploadContent(memories: Memories, id: string, limit: number) {
  const { first, stored } = await needUpload(memories, id);
  const page = await memories.list({ tags: [uploadTag(id)], page_size: limit });
  const chunks = page.memories.map((memory) => ({
    content_hash: memory.content_hash,
    content: memory.content,
    tags: memory.tags,
    metadata: memory.metadata,
    created_at: memory.created_at_iso,
    chunk_index: numberIn(memory, 'chunk_index'),
    page: memory.metadata.page ?? null,
  }));
  const filename = textIn(first, 'upload_name');
  return { status: 'success', upload_id: id, filename, total_found: stored, memories: chunks };
}

/** Forgets the memories of an upload. */
export async function removeUpload(memories: Memories, id: string, isKept: boolean) {
  const { first } = await needUpload(memories, id);
  const filename = textIn(first, 'upload_name');
  const count = isKept ? 0 : (await memories.forget({ tags: [uploadTag(id)] })).count;
  const message = isKept
    ? 'Nothing was removed: an upload is its memories.'
    : `Removed ${filename}: forgot ${count} ${count === 1 ? 'memory' : 'memories'}`;
  return { status: 'success', upload_id: id, filename, memories_deleted: count, message };
}

/** Forgets memories of uploads with any of the tags. What was not uploaded stays, also if it came from another document. */
export async function removeByTags(memories: Memories, args: ServiceArguments) {
  const tags = neededTags(args) as string[];
  const affected = new Set<string>();
  for (let page = 1, more = true; more; page++) {
    const found = await memories.list({
      tags,
      source_class: 'document',
      include_superseded: true,
      page,
      page_size: PAGE,
    });
    for (const memory of found.memories) for (const id of idsIn(memory.tags)) affected.add(id);
    more = found.has_more;
  }
  let count = 0;
  for (const id of affected) {
    for (const tag of tags) count += (await memories.forget({ tags: [uploadTag(id), tag], tag_match: 'all' })).count;
  }
  return {
    status: 'success',
    tags,
    memories_deleted: count,
    affected_uploads: [...affected],
    message: `Forgot ${count} ${count === 1 ? 'memory' : 'memories'} of uploads`,
  };
}
