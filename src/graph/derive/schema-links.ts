import { type Entity, type EntityId, entityId, idOf } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import type { ListedTool } from '../../model/entity-types/descriptor.ts';
import { toolsOf } from '../../model/entity-types/table.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import type { Derivation } from './derivation.ts';
import { FirstEdges } from './first-edges.ts';
import { GroupIndex } from './group-index.ts';
import { idNoun, readToolName, type ToolName } from './identifier-nouns.ts';

/** What a tool takes and gives, as keys that a taker and a giver share. */
interface ToolPorts {
  /** The entity that lists the tool. */
  readonly owner: EntityId;
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
  /** By node: a server and a virtual server at one path may list tools of one name. */
  readonly #ports = new GroupIndex<ToolPorts>();
  readonly #tools = new Map<EntityId, readonly ToolPorts[]>();
  readonly #givers = new GroupIndex<ToolPorts>();
  readonly #takers = new GroupIndex<ToolPorts>();

  add(entity: Entity): void {
    // A tool that neither needs nor gives an id has no edges.
    const tools = portsOf(entity).filter(({ needs, gives }) => needs.size > 0 || gives.size > 0);
    if (tools.length > 0) this.#tools.set(idOf(entity), tools);
    for (const ports of tools) {
      this.#ports.add(ports.node, ports);
      for (const key of ports.needs.keys()) this.#takers.add(key, ports);
      for (const key of ports.gives) this.#givers.add(key, ports);
    }
  }

  remove(id: EntityId): void {
    for (const ports of this.#tools.get(id) ?? []) {
      this.#ports.delete(ports.node, ports);
      for (const key of ports.needs.keys()) this.#takers.delete(key, ports);
      for (const key of ports.gives) this.#givers.delete(key, ports);
    }
    this.#tools.delete(id);
  }

  around(node: EntityId, isVisible: (node: EntityId) => boolean): readonly Edge[] {
    const edges = new FirstEdges(isVisible);
    const add = (giver: ToolPorts, taker: ToolPorts, via: string) => {
      if (differ(giver.name, taker.name) || !isVisible(giver.owner) || !isVisible(taker.owner)) return;
      edges.add(giver.node, taker.node, via);
    };
    for (const ports of this.#ports.get(node)) {
      for (const [key, field] of ports.needs) for (const giver of this.#givers.get(key)) add(giver, ports, field);
      for (const key of ports.gives) {
        for (const taker of this.#takers.get(key)) add(ports, taker, taker.needs.get(key)!);
      }
    }
    return edges.take('schema', 'PRODUCES_FOR');
  }
}

/** `create_image_item` gives no id for `delete_text_item`, though both are about items. */
function differ(a: ToolName, b: ToolName): boolean {
  return a.noun === b.noun && a.modifier !== null && b.modifier !== null && a.modifier !== b.modifier;
}

function portsOf(entity: Entity): readonly ToolPorts[] {
  const owner = idOf(entity);
  if (entity.type === 'tool') return [toolPorts(entity, owner, owner, entity.server_path ?? entity.path)];
  return toolsOf(entity).map((tool) =>
    toolPorts(tool, owner, entityId('tool', `${entity.path}#${tool.name}`), entity.path),
  );
}

function toolPorts(tool: ListedTool, owner: EntityId, node: EntityId, server: string): ToolPorts {
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
  return { owner, node, needs, gives: given, name };
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
