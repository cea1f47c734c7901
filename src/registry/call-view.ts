import type { Backend, CallView } from '../calls/contract/tool-caller.ts';
import type { Engine } from '../engines/engine.ts';
import type { Store, StoredEntity } from '../engines/store.ts';
import type { SearchResponse } from '../model/answer/result.ts';
import { type Definition, type Definitions, definitionsOf } from '../model/definitions.ts';
import { type EntityId, entityId, idOf, type McpServer, type VirtualServer } from '../model/entity.ts';
import { toolsOf } from '../model/entity-types/table.ts';
import type { JsonObject } from '../model/json/json-object.ts';
import { readerKeys } from '../model/query/filter.ts';
import { MAX_QUERY_CHARS, type SearchRequestInput } from '../model/query/query.ts';
import { serverVersion } from '../model/server-version.ts';
import { nearestNames } from '../model/text/meant-name.ts';
import { digestOf } from './notes/drift.ts';
import { ANNOTATIONS, type SourceNote, sourceKeyOf } from './notes/source-note.ts';
import { acceptedOf } from './provenance/plan-observed.ts';
import type { EntityRows } from './view/entity-view.ts';
import { serverToolAt } from './view/server-tool.ts';
import { storedAt } from './view/stored-at.ts';

export interface CallViewParts {
  readonly engine: Engine;
  /** As the caller may read it. */
  readonly store: Store;
  readonly view: EntityRows;
  readonly search: (request: SearchRequestInput) => Promise<SearchResponse>;
  /** Tools that the operator denies, by their server. No error names them. */
  readonly denied: () => Promise<ReadonlyMap<EntityId, ReadonlySet<string>>>;
}

/** Digits of a digest that name a definition: enough to notice a change, few enough for a model to repeat. */
const DEFINITION_DIGITS = 12;
const MAX_NEAR = 3;

/** What a call may know of the registry of one caller. */
export function callView({ engine, store, view, search, denied }: CallViewParts): CallView {
  return {
    async find(path) {
      const found = await serverToolAt(store, path);
      if (found === undefined) return undefined;
      const { server: stored, tool } = found;
      const { entity } = stored;
      if (entity.type === 'mcp_server') {
        return { path: tool.path, server: entity, backend: await backendOf(engine, stored, tool.name, true) };
      }
      if (entity.type !== 'virtual_server') return undefined;
      return { path: tool.path, server: entity, backend: await mappedBackend(engine, entity, tool.name) };
    },
    async serversNamed(name) {
      const wanted = plain(name);
      const rows = [...(await view.rows('mcp_server')), ...(await view.rows('virtual_server'))];
      return rows.map(({ path }) => path).filter((path) => plain(path) === wanted || plain(lastPart(path)) === wanted);
    },
    async near(path) {
      const [, server = path, tool = ''] = /^(.*?)#(.*)$/s.exec(path) ?? [];
      for (const type of ['mcp_server', 'virtual_server'] as const) {
        const stored = await storedAt(store, type, server);
        if (stored === undefined) continue;
        const hidden = (await denied()).get(stored.id);
        const names = toolsOf(stored.entity)
          .map(({ name }) => name)
          .filter((name) => hidden?.has(name) !== true);
        const nearest = nearestNames(tool, names, MAX_NEAR);
        const shown = nearest.length > 0 ? nearest : names.slice(0, MAX_NEAR);
        return shown.map((name) => `${stored.entity.path}#${name}`);
      }
      const query = path
        .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()
        .slice(0, MAX_QUERY_CHARS);
      if (query === '') return [];
      const { tools } = await search({ query, entity_types: ['mcp_server', 'tool'], max_results: MAX_NEAR });
      return tools
        .filter(({ path, server_path }) => path.startsWith(`${server_path}#`))
        .slice(0, MAX_NEAR)
        .map(({ path }) => path);
    },
  };
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
const lastPart = (path: string) => path.split('/').findLast((part) => part !== '') ?? '';

/**
 * The server behind a mapping. It is found also where the caller may not read it: to call it through a virtual server is what a
 * virtual server is for. Its readers, or its owner, must have given it.
 */
async function mappedBackend(engine: Engine, server: VirtualServer, name: string): Promise<Backend | null> {
  const mapping = server.tool_mappings.find(({ alias, tool_name }) => (alias ?? tool_name) === name);
  if (mapping === undefined) return null;
  const stored = await storedAt(engine.store, 'mcp_server', mapping.backend_server_path);
  if (stored === undefined || stored.entity.type !== 'mcp_server') return null;
  const backend = stored.entity;
  // Only the version that is in use has a known place.
  if (mapping.backend_version !== undefined && mapping.backend_version !== serverVersion(backend)) return null;
  const readers = readerKeys(backend);
  const isReadable = backend.visibility === 'public' || readerKeys(server).every((key) => readers.includes(key));
  const hasSameOwner = server.owner !== undefined && server.owner === backend.owner;
  return backendOf(engine, stored, mapping.tool_name, isReadable || hasSameOwner);
}

async function backendOf(
  engine: Engine,
  stored: Pick<StoredEntity, 'entity'>,
  tool: string,
  isShared: boolean,
): Promise<Backend | null> {
  const server = stored.entity as McpServer;
  if (!server.tools.some(({ name }) => name === tool)) return null;
  const id = entityId('mcp_server', server.path);
  const notes = (await engine.store.annotationsOf([id])).get(idOf(server)) ?? {};
  const current = definitionsOf(server as unknown as JsonObject);
  const accepted = acceptedCached(notes) ?? current;
  const definition: Definition | undefined = accepted[tool];
  const drift = notes[ANNOTATIONS.drift] as
    | { readonly added: readonly string[]; readonly changed: readonly { readonly name: string }[] }
    | undefined;
  const note = notes[ANNOTATIONS.source] as SourceNote | undefined;
  return {
    server,
    tool,
    accepted: definition ?? current[tool]!,
    definition: shortDigest(definition ?? current[tool]!),
    isDrifted: drift !== undefined && (drift.added.includes(tool) || drift.changed.some(({ name }) => name === tool)),
    source:
      note === undefined
        ? undefined
        : { kind: note.kind, locator: note.locator, part: note.part, key: sourceKeyOf(note) },
    isShared,
  };
}

const digests = new WeakMap<object, string>();

/** A definition is asked for at every call, and does not change. */
function shortDigest(definition: Definition): string {
  const known = digests.get(definition);
  if (known !== undefined) return known;
  const digest = digestOf(definition).slice('sha256:'.length).slice(0, DEFINITION_DIGITS);
  digests.set(definition, digest);
  return digest;
}

const parsed = new Map<string, Definitions>();
const MAX_PARSED = 200;

/** Parsed once for each text. */
function acceptedCached(notes: Readonly<Record<string, unknown>>): Definitions | undefined {
  const note = notes[ANNOTATIONS.definitions] as { readonly accepted?: string } | undefined;
  if (note?.accepted === undefined) return undefined;
  const known = parsed.get(note.accepted);
  if (known !== undefined) return known;
  const accepted = acceptedOf(notes);
  if (accepted === undefined) return undefined;
  if (parsed.size >= MAX_PARSED) parsed.delete(parsed.keys().next().value!);
  parsed.set(note.accepted, accepted);
  return accepted;
}
