import type { Store, StoredEntity } from '../../engines/store.ts';
import type { A2aAgent } from '../../model/entity.ts';
import {
  ENTITY_TYPES,
  type Entity,
  type EntityId,
  type EntityOf,
  type EntityType,
  type ParsedEntity,
  parseEntity,
} from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, stated, withoutNulls } from '../../model/json/json-object.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import { foldTag } from '../../model/query/filter.ts';
import type { Scored, TagCount } from '../contract/answers.ts';
import type { EntityOperations, Fields, RegisterOptions } from '../contract/entity-operations.ts';
import { type AgentQuery, agentQuerySchema } from '../contract/entity-operations.ts';
import { entityTag } from '../contract/entity-tag.ts';
import type { ScopedRegistry, ViewRow } from '../contract/registry.ts';
import { isExample } from '../notes/source-note.ts';
import type { EntityRows } from '../view/entity-view.ts';
import { folded } from '../view/entity-view.ts';
import { scoreRecords } from '../view/scan-records.ts';
import { changeOne, type PublishParts } from '../write/publish.ts';
import { namedByUrl, slashTwin } from '../write/stored-spelling.ts';
import type { TurnRecords } from '../write/write-checks.ts';
import { type DuplicateParts, findDuplicates } from './duplicates.ts';
import { listEntities } from './list.ts';
import { toRatedRecord } from './rated-record.ts';
import { rateEntity, readRating } from './ratings.ts';
import { searchSkills } from './search-skills.ts';

/** The weights of the MCP gateway registry. */
const WEIGHTS = { skills: 0.6, tags: 0.2, trust: 0.2 } as const;
const TRUST: ReadonlyMap<string, number> = new Map([
  ['unverified', 0],
  ['community', 0.2],
  ['verified', 0.5],
  ['trusted', 1],
]);

export interface OperationParts extends PublishParts, DuplicateParts {
  /** The name of the caller. Default: none. */
  readonly callerName?: string | undefined;
  /** Throws NOT_FOUND. Reads the records of a write in its turn. */
  readonly find: (type: EntityType, path: string, records?: TurnRecords) => Promise<StoredEntity>;
}

/** `store` and `view` are those of the caller. */
export function createOperations(
  parts: OperationParts,
): EntityOperations & Pick<ScopedRegistry, 'change' | 'putAt' | 'rated' | 'isExample'> {
  const { store, find, view } = parts;
  const idAt = async (type: EntityType, path: string) => (await find(type, path)).id;
  const change: ScopedRegistry['change'] = (type, path, make, condition) =>
    changeOne(
      parts,
      async (records) => {
        const { entity } = await find(type, path, records);
        return withGroups(inPlace(entity, make(entity as EntityOf<typeof type>)));
      },
      condition,
    );
  return {
    register: (entity, options) => changeOne(parts, (records) => registered(parts, records, entity, options)),
    putAt: (type, path, entity, options) =>
      changeOne(parts, (records) => namedByUrl(records, { type, path }, entity), options),
    change,
    async isExample(type, path) {
      const { id } = await find(type, path);
      return isExample((await store.annotationsOf([id])).get(id)?.source);
    },
    async rated(type, path) {
      const stored = await find(type, path);
      const annotations = (await store.annotationsOf([stored.id])).get(stored.id);
      return { record: toRatedRecord(stored, annotations), etag: entityTag(stored) };
    },
    patch: (type, path, fields, condition) =>
      change(type, path, (entity) => ({ ...entity, ...checkFields(fields) }), condition),
    list: (query) => listEntities(store, view, query),
    tags: () => tagsOf(view),
    searchSkills: (query) => searchSkills(store, view, query),
    discoverAgents: (query) => discoverAgents(store, view, query),
    rate: (type, path, vote) =>
      rateEntity(store, () => find(type, path), vote, { name: parts.callerName, rule: parts.rule }),
    rating: async (type, path) => readRating(store, await idAt(type, path)),
    findDuplicates: (candidate) => findDuplicates(parts, candidate),
  };
}

async function registered(
  { engine }: OperationParts,
  records: TurnRecords,
  input: unknown,
  { overwrite = true }: RegisterOptions = {},
): Promise<ParsedEntity> {
  if (!isJsonObject(input)) return parseEntity(input);
  const spelled = [String(input.path), slashTwin(String(input.path))].map(
    (path) => `${input.type}:${path}` as EntityId,
  );
  // Hidden entities are not there: the write refuses their paths at its end.
  const [found] = await records.getMany(spelled);
  const notes = found === undefined ? undefined : (await engine.store.annotationsOf([found.id])).get(found.id);
  const stored = isExample(notes?.source) ? undefined : found;
  const { is_enabled, owner } = stored?.entity ?? {};
  const fields = { ...stated({ is_enabled, owner }), ...input };
  const parsed = parseEntity(fields);
  if (stored !== undefined && !overwrite) {
    const { type, path } = parsed.entity;
    throw new DowserError('ALREADY_EXISTS', `There is already a ${type} at '${path}'.`, {
      field: 'path',
      hint: 'Choose another path, or send overwrite: true to replace it.',
    });
  }
  withGroups(fields);
  return parsed;
}

function checkFields(fields: Fields): Fields {
  if (isJsonObject(fields)) return fields;
  throw new DowserError('INVALID_REQUEST', `The fields must be a JSON object, not ${showValue(fields)}.`);
}

/** A group-restricted entity without a group is a mistake. Clients register skills that way: only the owner reads them. */
function withGroups(fields: Fields): Fields {
  const { type, visibility, allowed_groups } = fields;
  if (type === 'skill') return fields;
  const restricted = typeof visibility === 'string' && /^group(?:-restricted)?$/i.test(visibility);
  if (!restricted || (Array.isArray(allowed_groups) && allowed_groups.length > 0)) return fields;
  throw new DowserError(
    'INVALID_REQUEST',
    `'visibility' is ${showValue(visibility)}, and 'allowed_groups' is ${showValue(allowed_groups)}: must name a group.`,
    { field: 'allowed_groups', hint: 'Name at least one group, or choose public or private.' },
  );
}

/** `fields` with the type and path of `stored`. A null field is removed, so that it gets its default. */
function inPlace(stored: Entity, fields: Fields): Fields {
  const { type, path } = stored;
  for (const [field, kept] of [
    ['type', type],
    ['path', path],
  ] as const) {
    const said = fields[field];
    if (said === undefined || said === kept || (field === 'path' && `/${said}` === kept)) continue;
    throw new DowserError('INVALID_REQUEST', `'${field}' is ${showValue(said)}; it cannot be changed from '${kept}'.`, {
      field,
      hint: 'Leave it out, or register a new entity and delete this one.',
    });
  }
  return withoutNulls({ ...fields, type, path });
}

async function tagsOf(view: EntityRows): Promise<readonly TagCount[]> {
  const found = new Map<string, { readonly tag: string; count: number }>();
  const rows: ViewRow[] = [];
  for (const type of ENTITY_TYPES) rows.push(...(await view.rows(type)));
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { tags } of rows) {
    // Two spellings in one entity are one tag, in the first spelling.
    for (const [key, tag] of new Map(tags.map((tag) => [foldTag(tag), tag.trim()] as const).reverse())) {
      if (key === '') continue;
      const known = found.get(key) ?? { tag, count: 0 };
      found.set(key, known);
      known.count++;
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => counted);
}

function shareOf(wanted: readonly string[], has: ReadonlySet<string>): number {
  const unique = [...new Set(wanted)];
  return unique.length === 0 ? 0 : unique.filter((item) => has.has(item)).length / unique.length;
}

function scoreOf(agent: A2aAgent, skills: readonly string[], tags: readonly string[]): number {
  const known = new Set(agent.skills.flatMap(({ id, name }) => [folded(id), folded(name)]));
  const matched = shareOf(skills, known);
  if (matched === 0) return 0;
  const tagged = shareOf(tags, new Set(agent.tags.map(foldTag)));
  const trust = TRUST.get(folded(agent.trust_level ?? '')) ?? 0;
  return WEIGHTS.skills * matched + WEIGHTS.tags * tagged + WEIGHTS.trust * trust;
}

/** Enabled agents with at least one of the skills, without drafts and deprecated ones. */
async function discoverAgents(store: Store, view: EntityRows, asked: AgentQuery): Promise<readonly Scored[]> {
  const { limit, ...query } = parseWith(agentQuerySchema, asked, 'discovery');
  const skills = query.skills.map((skill) => folded(skill.trim())).filter((skill) => skill !== '');
  if (skills.length === 0) {
    throw new DowserError('EMPTY_SEARCH', 'The discovery names no skills.', {
      field: 'skills',
      hint: 'Send skills: ["translate"], or ask in words at POST /api/agents/discover/semantic.',
    });
  }
  const tags = query.tags.map(foldTag);
  const rows = (await view.rows('a2a_agent')).filter(
    (row) =>
      row.is_enabled &&
      row.status !== 'draft' &&
      row.status !== 'deprecated' &&
      skills.some((skill) => row.skills.includes(skill)),
  );
  return (await scoreRecords(store, rows, (entity) => scoreOf(entity as A2aAgent, skills, tags))).slice(0, limit);
}
