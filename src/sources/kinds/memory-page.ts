import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, stated } from '../../model/json/json-object.ts';
import { slugOf } from '../../model/text/slug.ts';
import { readFrontMatter } from '../formats/front-matter.ts';
import type { FoundMemory } from './memory-file.ts';

/** A memory as a Markdown file holds it. */
export interface MemoryPage {
  readonly content: string;
  readonly content_hash: string;
  readonly tags: readonly string[];
  readonly memory_type: string | null;
  readonly metadata: JsonObject;
  readonly created_at_iso: string;
  readonly source_class: string | null;
  readonly certainty: number | null;
  readonly agent_id: string | null;
  readonly conversation_id: string | null;
  readonly namespace: string | null;
  readonly owner?: string;
  readonly valid_from: string | null;
  readonly invalid_at: string | null;
  readonly superseded: { readonly by: string; readonly reason: string } | null;
}

const HASH_CHARS = 12;
const SLUG_CHARS = 48;
/** File systems allow 255 bytes. */
const MAX_FOLDER_CHARS = 200;

/** `ops/the-staging-server-is-on-port-8080-3f2a91c07b1d.md`. The same memory always has the same name. */
export function memoryFileName({ content, content_hash, namespace, owner }: MemoryPage): string {
  const slug = slugOf(content.slice(0, 2 * SLUG_CHARS)).slice(0, SLUG_CHARS);
  const name = `${slug === '' ? 'memory' : slug}-${content_hash.slice(0, HASH_CHARS)}.md`;
  if (owner !== undefined) return `~${folderOf(owner)}/${name}`;
  return namespace === null ? name : `${folderOf(namespace)}/${name}`;
}

/** One folder for any namespace or owner: `team.a` is in `team%2Ea`, `key:ada` in `~key%3Aada`. The front matter has it as it is. */
function folderOf(place: string): string {
  const hex = (char: string) => [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join('');
  const safe = place.replaceAll(/[^\w@-]/gu, hex);
  if (safe === '') return '%';
  if (safe.length <= MAX_FOLDER_CHARS) return safe;
  const digest = createHash('sha256').update(place).digest('hex');
  return `${safe.slice(0, MAX_FOLDER_CHARS)}%${digest.slice(0, HASH_CHARS)}`;
}

/** The beginning of a hash that an export gave a file as the end of its name. */
export const hashInName = (name: string): string | undefined => /-([0-9a-f]{12})\.md$/.exec(name)?.[1];

/**
 * Front matter with a field on each line, in a fixed order, then the content. Values are JSON, which is YAML too. Times that a later import
 * sets itself are left out, so that an export of an import is the same.
 */
export function toMemoryPage(page: MemoryPage): string {
  const { content, superseded, invalid_at, tags, metadata } = page;
  // What a text editor may change is kept as JSON.
  const isPlain = !content.includes('\r') && content.trim() === content;
  const fields = {
    content_hash: page.content_hash,
    created_at: page.created_at_iso,
    tags: tags.length === 0 ? null : tags,
    memory_type: page.memory_type,
    source_class: page.source_class,
    certainty: page.certainty,
    namespace: page.namespace,
    owner: page.owner ?? null,
    agent_id: page.agent_id,
    conversation_id: page.conversation_id,
    valid_from: page.valid_from,
    invalid_at: superseded === null ? invalid_at : null,
    superseded_by: superseded?.by ?? null,
    superseded_reason: superseded === null || superseded.reason === '' ? null : superseded.reason,
    metadata: Object.keys(metadata).length === 0 ? null : sortedKeys(metadata),
    content: isPlain ? null : content,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return `---\n${lines.join('\n')}\n---\n\n${isPlain ? `${content}\n` : ''}`;
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortedKeys(value[key])]));
}

/** The memory of a file; null if it is no such file. A file without front matter is not one. */
export function readMemoryPage(text: string): FoundMemory | null {
  const read = readFrontMatter(text);
  if (read === null) return null;
  const { content_hash, superseded_by, superseded_reason: reason, content: exact, ...fields } = read.fields;
  const content = typeof exact === 'string' ? exact : read.body.trim();
  if (content === '' || typeof content_hash !== 'string') return null;
  return {
    name: content_hash,
    memory: { ...stated(fields), content },
    supersededBy: typeof superseded_by === 'string' ? superseded_by : null,
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}
