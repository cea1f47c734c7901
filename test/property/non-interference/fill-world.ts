import { createHash } from 'node:crypto';
import { collectionPath, documentPath } from '../../../src/documents/collections/document-parts.ts';
import { createDocuments } from '../../../src/documents/create-documents.ts';
import { uploadTag } from '../../../src/mcp/memory-service/ingest-file.ts';
import type { MemoryService } from '../../../src/memories/create-memories.ts';
import { type Caller, mayRead } from '../../../src/model/caller/caller.ts';
import { parseEntity } from '../../../src/model/entity.ts';
import type { LocalRegistry } from '../../../src/registry/contract/registry.ts';
import type { Arrival, World } from './world.ts';
import { fileIdOf, type WorldCollection } from './world-contents.ts';

type Reach = WorldCollection['reach'];

/** Carol is none of the callers. */
export const HIDDEN = { visibility: 'private', owner: 'carol' } as const;

/** Whether somebody may read what has this reach. */
export type Sees = (reach: object) => boolean;

export const seesOf =
  (caller: Caller): Sees =>
  (reach) =>
    mayRead(caller, parseEntity({ type: 'skill', path: '/x', name: 'x', description: 'x', ...reach }).entity);

export async function arrive(registry: LocalRegistry, sees: Sees, arrival: Arrival): Promise<void> {
  const { entity, source, drifts, dies, rated, versions } = arrival;
  if (source === null) await registry.put(entity);
  else {
    const key = { kind: 'mcp', locator: { url: source } } as const;
    const part = `${entity.type} ${entity.path}`;
    const read = (seen: Record<string, unknown>) =>
      registry.observe({
        source: key,
        entities: [{ part, entity: seen }],
        live: true,
        take_over: true,
        reading: { started_at: '2001-01-01T00:00:00.000Z', full: true },
      });
    await read({ ...entity });
    if (drifts)
      await read({ ...entity, tools: [{ name: 'new_tool', description: 'merger' }], skills: [], body: 'new' });
    if (dies) {
      const missing = [{ type: entity.type, path: entity.path, error: 'refused' }];
      await registry.observe({ source: key, entities: [], missing });
    }
  }
  if (rated) await registry.rate(entity.type, entity.path, { rating: 4 }).catch(() => undefined);
  if (entity.type !== 'mcp_server') return;
  for (const { version, reach, description } of versions) {
    const other = { ...entity, owner: undefined, allowed_groups: undefined, ...reach, version, description };
    if (sees(reach)) await registry.addVersion(other);
  }
}

/** A file is stored with the reach of its collection, or hidden. */
export async function fillCollections(registry: LocalRegistry, sees: Sees, { collections }: World): Promise<void> {
  const documents = createDocuments(registry, { now: () => new Date(0) });
  const setReach = (path: string, reach: Reach | typeof HIDDEN) => registry.patch('document', path, { ...reach });
  for (const { name, note, reach, files } of collections) {
    if (!sees(reach)) continue;
    await documents.createCollection({ name, note });
    for (const [at, { title, text, isHidden }] of files.entries()) {
      if (isHidden && !sees(HIDDEN)) continue;
      const id = fileIdOf(name, `${at}.md`);
      const lines = { start_char: 0, end_char: text.length, from_line: 1, to_line: 1 };
      const content = { title, format: 'markdown', text, chunks: [{ id, ...lines }] };
      const hash = createHash('sha256').update(text).digest('hex');
      await documents.putFiles(name, {
        put: [{ id, path: `${at}.md`, size: text.length, mtime_ms: 0, hash, content }],
      });
      await setReach(documentPath(id), isHidden ? HIDDEN : reach);
    }
    await setReach(collectionPath(name), reach);
  }
}

/** As an upload stores it. */
const chunkOf = (id: string, content: string) => ({
  tags: [uploadTag(id)],
  source_class: 'document' as const,
  metadata: { upload_id: id, upload_name: `${content.slice(0, 8)}.md`, upload_chunks: 3, upload_size: content.length },
});

export async function fillMemories(memories: MemoryService, sees: Sees, { remembered }: World): Promise<void> {
  for (const { content, namespace, upload } of remembered) {
    const reach = namespace === null ? {} : { visibility: 'group-restricted', allowed_groups: [namespace] };
    const chunk = upload === null ? {} : chunkOf(upload, content);
    if (sees(reach)) await memories.store({ content, ...chunk, ...(namespace === null ? {} : { namespace }) });
  }
}

/** What others do meanwhile with things that none of these callers may read. */
export async function disturb(registry: LocalRegistry, memories: MemoryService, n: number): Promise<void> {
  const path = `/hidden/more-${n % 3}`;
  const found = await registry.getMany('mcp_server', [path]);
  if (found.length > 0) await registry.delete('mcp_server', path);
  else {
    const tools = [{ name: 'create_issue', description: 'merger of databases' }];
    const text = { name: 'weather merger', description: `secret river ${n}`, tags: ['weather', 'secret-tag'] };
    await registry.put({ type: 'mcp_server', path, ...text, tools, ...HIDDEN });
  }
  await memories.store({ content: `weather of the merger ${n % 3}`, namespace: 'secret' });
  const carol = registry.as({ readers: ['public', 'user:carol'], name: 'carol', scopes: ['read', 'write'] });
  await carol.search({ query: 'merger weather' });
}
