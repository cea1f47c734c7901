import type { Edge } from '../../model/edge.ts';
import { type Entity, type EntityId, entityId, idOf } from '../../model/entity.ts';
import type { ListedTool } from '../../model/entity-types/descriptor.ts';
import { toolsOf } from '../../model/entity-types/table.ts';
import { isJsonObject } from '../../model/json-object.ts';
import { type Derivation, derivedEdge, MAX_DERIVED } from './derivation.ts';
import { GroupIndex } from './group-index.ts';
import { idNoun, readToolName, type ToolName } from './identifier-nouns.ts';

/** What a tool takes and gives, as keys that a taker and a giver share. */
interface ToolPorts {
  readonly node: EntityId;
  /** By key: the required field. */
  readonly needs: ReadonlyMap<string, string>;
  readonly gives: ReadonlySet<string>;
  readonly name: ToolName;
}

/**
 * One tool needs an id that another gives. Within a server, the names say it: `issueId` comes from `list_issues` or
 * `create_issue`. Across servers, only a field of an output schema does: another server's `list_issues` gives other issues.
 */
export class SchemaLinks implements Derivation {
  readonly #ports = new Map<EntityId, ToolPorts>();
  readonly #tools = new Map<EntityId, readonly ToolPorts[]>();
  readonly #givers = new GroupIndex<EntityId>();
  readonly #takers = new GroupIndex<EntityId>();

  add(entity: Entity): void {
    const tools = portsOf(entity);
    if (tools.length > 0) this.#tools.set(idOf(entity), tools);
    for (const ports of tools) {
      this.#ports.set(ports.node, ports);
      for (const key of ports.needs.keys()) this.#takers.add(key, ports.node);
      for (const key of ports.gives) this.#givers.add(key, ports.node);
    }
  }

  remove(id: EntityId): void {
    for (const { node, needs, gives } of this.#tools.get(id) ?? []) {
      this.#ports.delete(node);
      for (const key of needs.keys()) this.#takers.delete(key, node);
      for (const key of gives) this.#givers.delete(key, node);
    }
    this.#tools.delete(id);
  }

  around(node: EntityId): readonly Edge[] {
    const ports = this.#ports.get(node);
    if (ports === undefined) return [];
    const edges = new Map<string, Edge>();
    const add = (source: EntityId, target: EntityId, via: string) => {
      if (source === target || edges.size >= MAX_DERIVED || this.#differ(source, target)) return;
      edges.set(`${source} ${target}`, derivedEdge('schema', { source, target, type: 'PRODUCES_FOR', via }));
    };
    for (const [key, field] of ports.needs) for (const giver of this.#givers.get(key)) add(giver, node, field);
    for (const key of ports.gives) {
      for (const taker of this.#takers.get(key)) add(node, taker, this.#ports.get(taker)!.needs.get(key)!);
    }
    return [...edges.values()];
  }

  /** `create_image_item` gives no id for `delete_text_item`, though both are about items. */
  #differ(giver: EntityId, taker: EntityId): boolean {
    const [a, b] = [this.#ports.get(giver)!.name, this.#ports.get(taker)!.name];
    return a.noun === b.noun && a.modifier !== null && b.modifier !== null && a.modifier !== b.modifier;
  }
}

function portsOf(entity: Entity): readonly ToolPorts[] {
  if (entity.type === 'tool') return [toolPorts(entity, idOf(entity), entity.server_path ?? entity.path)];
  return toolsOf(entity).map((tool) => toolPorts(tool, entityId('tool', `${entity.path}#${tool.name}`), entity.path));
}

function toolPorts(tool: ListedTool, node: EntityId, server: string): ToolPorts {
  const name = readToolName(tool.name);
  const { noun, gives } = name;
  const needs = new Map<string, string>();
  const nouns = new Set<string>();
  for (const field of requiredFields(tool.inputSchema)) {
    const of = idNoun(field, noun);
    if (of === null) continue;
    nouns.add(of);
    needs.set(`name ${server} ${of}`, field);
    needs.set(`field ${field}`, field);
  }
  const given = new Set<string>();
  // A tool that needs the id of a thing does not give it first.
  if (noun !== null && gives !== null && !nouns.has(noun)) given.add(`name ${server} ${noun}`);
  for (const field of outputFields(tool.outputSchema)) {
    const of = idNoun(field, null);
    if (of !== null && !nouns.has(of)) given.add(`field ${field}`);
  }
  return { node, needs, gives: given, name };
}

function requiredFields(schema: unknown): readonly string[] {
  if (!isJsonObject(schema) || !Array.isArray(schema.required)) return [];
  return schema.required.filter((field) => typeof field === 'string');
}

const MAX_DEPTH = 6;

/** The names of fields at any depth, also inside lists. */
function outputFields(schema: unknown, depth = 0): readonly string[] {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return [];
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  return [
    ...properties.flatMap(([name, value]) => [name, ...outputFields(value, depth + 1)]),
    ...outputFields(schema.items, depth + 1),
  ];
}
