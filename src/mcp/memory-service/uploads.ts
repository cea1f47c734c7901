import type { Memory } from '../../memories/contract/memory-answers.ts';
import type { Memories } from '../../memories/memories.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { uploadTag } from './ingest-file.ts';
import { neededTags, type ServiceArguments } from './service-arguments.ts';

const ID = /^[0-9a-f]{32}$/;
const PAGE = 100;
/** Chunks that one answer has. */
export const MAX_CONTENT = 1000;

const numberIn = (memory: Memory, key: string): number => {
  const value = memory.metadata[key];
  return typeof value === 'number' ? value : 0;
};
const textIn = (memory: Memory, key: string): string => {
  const value = memory.metadata[key];
  return typeof value === 'string' ? value : '';
};

/** The memories of an upload. A memory that somebody gave the same tag is none of them. */
const memoriesOf = (id: string) => ({ tags: [uploadTag(id)], source_class: 'document' as const });

/** What is known about an upload: everything comes from its memories. Throws NOT_FOUND. */
export async function uploadStatus(memories: Memories, id: string) {
  const { first, stored } = await needUpload(memories, id);
  return statusOf(id, first, stored);
}

function statusOf(id: string, first: Memory, stored: number) {
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
    file_size: numberIn(first, 'upload_size'),
    chunks_processed: total,
    chunks_stored: stored,
    total_chunks: total,
    progress: 100,
    errors,
    created_at: first.created_at_iso,
    completed_at: first.created_at_iso,
  };
}

async function needUpload(
  memories: Memories,
  id: string,
): Promise<{ readonly first: Memory; readonly stored: number }> {
  const page = ID.test(id) ? await memories.list({ ...memoriesOf(id), page_size: 1 }) : undefined;
  const first = page?.memories[0];
  if (page !== undefined && first !== undefined) return { first, stored: page.total };
  throw new DowserError('NOT_FOUND', `There is no upload ${showValue(id)}.`, {
    field: 'upload_id',
    hint: 'GET /api/documents/history lists the uploads.',
  });
}

export const hasUpload = async (memories: Memories, id: string): Promise<boolean> =>
  (await memories.list({ ...memoriesOf(id), page_size: 1 })).total > 0;

/** The newest uploads, newest first. */
export async function uploadHistory(memories: Memories) {
  const { tags } = await memories.counts();
  const stored = new Map(tags.map(({ tag, count }) => [tag, count]));
  const first = { source_class: 'document' as const, newest_per_tag: uploadTag('') };
  const found = await memories.list({ ...first, page_size: PAGE });
  const uploads = found.memories.flatMap((memory) => {
    const id = textIn(memory, 'upload_id');
    return ID.test(id) ? [statusOf(id, memory, stored.get(uploadTag(id)) ?? 1)] : [];
  });
  return { uploads, total: found.total };
}

export async function uploadContent(memories: Memories, id: string, limit: number) {
  const { first, stored } = await needUpload(memories, id);
  const found: Memory[] = [];
  for (let page = 1, more = true; more && found.length < limit; page++) {
    const next = await memories.list({ ...memoriesOf(id), page, page_size: PAGE });
    found.push(...next.memories);
    more = next.has_more;
  }
  const chunks = found.slice(0, limit).map((memory) => ({
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
  const count = isKept ? 0 : (await memories.forget(memoriesOf(id))).count;
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
    const of = { source_class: 'document' as const, include_superseded: true };
    const found = await memories.list({ ...of, tags, page, page_size: PAGE });
    for (const memory of found.memories) affected.add(textIn(memory, 'upload_id'));
    more = found.has_more;
  }
  let count = 0;
  const uploads = [...affected].filter((id) => ID.test(id));
  for (const id of uploads) {
    for (const tag of tags) {
      const of = { ...memoriesOf(id), tags: [uploadTag(id), tag], tag_match: 'all' as const };
      count += (await memories.forget(of)).count;
    }
  }
  return {
    status: 'success',
    tags,
    memories_deleted: count,
    affected_uploads: uploads,
    message: `Forgot ${count} ${count === 1 ? 'memory' : 'memories'} of uploads`,
  };
}
