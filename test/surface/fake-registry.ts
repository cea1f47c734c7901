import { ENTITY_TYPES, type EntityType, idOf, parseEntity } from '../../src/model/entity.ts';
import { DowserError } from '../../src/model/errors.ts';
import { parseWith } from '../../src/model/parse.ts';
import { searchRequestSchema } from '../../src/model/query.ts';
import type { SearchResponse } from '../../src/model/result.ts';
import type { EntityRecord, Registry } from '../../src/registry/registry.ts';

const EMPTY_ANSWER: SearchResponse = {
  query: '',
  search_mode: 'lexical-only',
  preset: 'hybrid',
  results: [],
  servers: [],
  tools: [],
  agents: [],
  skills: [],
  virtual_servers: [],
  packages: [],
  memories: [],
  documents: [],
  custom: [],
  total_servers: 0,
  total_tools: 0,
  total_agents: 0,
  total_skills: 0,
  total_virtual_servers: 0,
  total_packages: 0,
  total_memories: 0,
  total_documents: 0,
  total_custom: 0,
  warnings: [],
};

/** A registry that stores but finds nothing: for what surfaces do around a registry, and for making it fail on purpose. */
export function fakeRegistry(overrides: Partial<Registry> = {}): Registry & { readonly closed: () => boolean } {
  const records = new Map<string, EntityRecord>();
  let closed = false;
  const find = (type: EntityType, path: string) => {
    const found = records.get(`${type}:${path}`) ?? records.get(`${type}:/${path}`);
    if (found === undefined) throw new DowserError('NOT_FOUND', `There is no ${type} at '${path}'.`, { hint: 'Look.' });
    return found;
  };
  const putMany = async (entities: readonly unknown[]) => {
    let created = 0;
    const warnings: string[] = [];
    for (const input of entities) {
      const parsed = parseEntity(input);
      warnings.push(...parsed.warnings);
      if (!records.has(idOf(parsed.entity))) created++;
      const at = '2026-01-01T00:00:00.000Z';
      records.set(idOf(parsed.entity), { entity: parsed.entity, created_at: at, updated_at: at });
    }
    return { created, updated: entities.length - created, pending_vectors: 0, warnings };
  };
  return {
    async search(request) {
      const { query } = parseWith(searchRequestSchema, request, 'request');
      return { ...EMPTY_ANSWER, query: query.trim() };
    },
    async put(input) {
      const { type, path } = parseEntity(input).entity;
      const { created, warnings } = await putMany([input]);
      return { entity_type: type, path, created: created === 1, pending_vectors: 0, warnings };
    },
    putMany,
    get: async (type, path) => find(type, path),
    async delete(type, path) {
      records.delete(idOf(find(type, path).entity));
    },
    async *all(types = ENTITY_TYPES) {
      for (const record of records.values()) if (types.includes(record.entity.type)) yield record;
    },
    embedPending: async () => ({ embedded: 0, remaining: 0 }),
    health: async () => ({
      status: 'ok',
      version: '0.0.0',
      store: { engine: 'fake', path: null, bytes: null },
      index: { entities: records.size, units: records.size, vectors: 0, missing_vectors: 0, by_type: {} },
      embedder: { id: null, state: 'off' },
    }),
    async close() {
      closed = true;
    },
    ...overrides,
    closed: () => closed,
  };
}
