import type { z } from 'zod';
import { ENTITY_TYPES, type EntityType } from '../entity-parts/names.ts';
import type { Unit } from '../entity-parts/unit.ts';
import { a2aAgent } from './a2a-agent.ts';
import type { EntityRole, EntityTypeDescriptor, ListedTool } from './descriptor.ts';
import { document } from './document.ts';
import type { AnyEntity } from './fields.ts';
import { mcpServer } from './mcp-server.ts';
import { memory } from './memory.ts';
import { packageType } from './package.ts';
import { skill } from './skill.ts';
import { tool } from './tool.ts';
import { virtualServer } from './virtual-server.ts';

/** Every entity type, in the order in which a search answer has their groups. */
export const ENTITY_TYPE_TABLE = {
  mcp_server: mcpServer,
  tool,
  a2a_agent: a2aAgent,
  skill,
  virtual_server: virtualServer,
  package: packageType,
  memory,
  document,
} as const satisfies { readonly [T in EntityType]: EntityTypeDescriptor<AnyEntity & { readonly type: T }> };

/** Derived from the rows, so that a missing row is one error above and not one wherever entities are used. */
type Table = typeof ENTITY_TYPE_TABLE;
type Row = Table[keyof Table];
export type EntitySchema = Row['schema'];
/** An entity of any type, checked and complete. */
export type Entity = z.output<EntitySchema>;
/** An entity of one type. */
export type EntityOf<T extends EntityType> = Extract<Entity, { type: T }>;
type RowOf<T extends EntityType> = Extract<Row, { schema: z.ZodType<{ type: T }> }>;
export type GroupOf<T extends EntityType> = RowOf<T>['group'];
export type HitSchemaOf<T extends EntityType> = RowOf<T>['hit'];
export type HitOf<T extends EntityType> = z.output<HitSchemaOf<T>>;

/** The types for which a member of the descriptor is one of `V`. */
type TypesWith<K extends keyof Row, V> = {
  [T in keyof Table]: Table[T][K] extends V ? T : never;
}[keyof Table];

const typesWhere = <T extends EntityType>(isMeant: (row: Row) => boolean) =>
  ENTITY_TYPES.filter((type) => isMeant(ENTITY_TYPE_TABLE[type])) as readonly EntityType[] as readonly T[];

/** Types that list tools. A search shows such a tool under `/server#tool`; its record is the server's. */
export type ServerType = TypesWith<'tools', object>;
export const SERVER_TYPES = typesWhere<ServerType>(({ tools }) => tools !== null);

export const typesOfRole = <R extends EntityRole>(role: R) =>
  typesWhere<TypesWith<'role', R>>((row) => row.role === role);

/** The descriptor of an entity's own type. */
export function descriptorOf<E extends Entity>(entity: E): EntityTypeDescriptor<E> {
  return ENTITY_TYPE_TABLE[entity.type] as unknown as EntityTypeDescriptor<E>;
}

/** All units of an entity, card first. The same entity always gives the same units. */
export const unitsOf = (entity: Entity): readonly Unit[] => descriptorOf(entity).units(entity);

/** The tools that an entity lists. */
export const toolsOf = (entity: Entity): readonly ListedTool[] => descriptorOf(entity).tools?.list(entity) ?? [];
