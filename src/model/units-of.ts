import { chunkText, markdownSections } from './chunks.ts';
import {
  type A2aAgent,
  type DocumentEntity,
  type Entity,
  idOf,
  type McpServer,
  type Memory,
  type Package,
  type Skill,
  type StandaloneTool,
  type VirtualServer,
} from './entity.ts';
import { mappedTools } from './mapped-tools.ts';
import { flattenMetadata, representativeQueries, tellingMetadata } from './metadata-text.ts';
import { type Field, namedKey, type Unit, type UnitKind, unitId } from './unit.ts';

/**
 * Sentence models read a few hundred tokens; more text only costs time. So the most telling parts come first in the text to
 * embed: the tools of a large server must not push out its sample queries.
 */
const EMBED_MAX_CHARS = 4000;

function joined(separator: string, ...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(separator);
}

const labeled = (label: string, values: readonly string[]): string =>
  values.length === 0 ? '' : `${label}: ${values.join(', ')}`;

function makeUnit(
  entity: Entity,
  key: string,
  kind: UnitKind,
  title: string,
  fields: Partial<Record<Field, string>>,
  embedText: string,
): Unit {
  const id = idOf(entity);
  const present = Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''));
  return {
    id: unitId(id, key),
    entity: id,
    key,
    kind,
    title,
    fields: present,
    embedText: embedText.slice(0, EMBED_MAX_CHARS),
  };
}

/** Keys stay unique even if a server has two tools with the same name. */
function uniqueKeys(kind: 'tool' | 'agent_skill', names: readonly string[]): readonly string[] {
  const taken = new Set(names.map((name) => namedKey(kind, name)));
  const used = new Set<string>();
  return names.map((name) => {
    let key = namedKey(kind, name);
    for (let count = 2; used.has(key); count++) {
      const next = `${namedKey(kind, name)}~${count}`;
      if (!taken.has(next)) key = next;
    }
    used.add(key);
    return key;
  });
}

/** The unit keys of these tools, in order. */
export function toolKeys(tools: readonly { readonly name: string }[]): readonly string[] {
  return uniqueKeys(
    'tool',
    tools.map(({ name }) => name),
  );
}

/** The card of an entity: the common fields, plus those of the type. */
function cardOf(entity: Entity, extra: Partial<Record<Field, string>>, embedText: string): Unit {
  const fields = {
    name: entity.name,
    path: entity.path,
    description: entity.description,
    tags: entity.tags.join('\n'),
    ...extra,
  };
  return makeUnit(entity, 'card', 'card', entity.name === '' ? entity.path : entity.name, fields, embedText);
}

/** The property names and descriptions of a JSON Schema, with nested objects and array items. */
function schemaText(schema: unknown): string {
  const words: string[] = [];
  collectSchemaWords(schema, words, 0);
  return words.join('\n');
}

const DEEPEST_PROPERTY = 5;

function collectSchemaWords(schema: unknown, words: string[], depth: number): void {
  if (schema === null || typeof schema !== 'object' || depth >= DEEPEST_PROPERTY) return;
  const { properties, items } = schema as { properties?: unknown; items?: unknown };
  if (properties !== null && typeof properties === 'object') {
    for (const [name, property] of Object.entries(properties)) {
      const description = (property as { description?: unknown } | null)?.description;
      if (name !== '') words.push(name);
      if (typeof description === 'string' && description !== '') words.push(description);
      collectSchemaWords(property, words, depth + 1);
    }
  }
  if (items !== undefined) collectSchemaWords(items, words, depth + 1);
}

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Record<string, unknown>;
  readonly examples?: readonly string[];
}

function toolUnits(entity: Entity, tools: readonly ListedTool[]): readonly Unit[] {
  const keys = toolKeys(tools);
  return tools.map((tool, i) =>
    makeUnit(
      entity,
      keys[i]!,
      'tool',
      tool.name,
      {
        name: tool.name,
        path: entity.path,
        description: tool.description,
        tags: entity.tags.join('\n'),
        metadata: entity.name,
        parameters: schemaText(tool.inputSchema),
        body: (tool.examples ?? []).join('\n'),
      },
      joined('\n', `${entity.name}: ${tool.name}`, tool.description, ...(tool.examples ?? [])),
    ),
  );
}

const toolLines = (tools: readonly ListedTool[]): string =>
  tools.map((tool) => joined(' ', tool.name, tool.description)).join('\n');

function unitsOfServer(server: McpServer): readonly Unit[] {
  const metadata = flattenMetadata(server.metadata);
  const tools = toolLines(server.tools);
  const card = cardOf(
    server,
    { metadata, tools },
    joined(
      '\n',
      server.name,
      server.description,
      labeled('Tags', server.tags),
      ...representativeQueries(server.metadata),
      tools,
      tellingMetadata(server.metadata),
    ),
  );
  return [card, ...toolUnits(server, server.tools)];
}

function unitsOfTool(tool: StandaloneTool): readonly Unit[] {
  const metadata = flattenMetadata(tool.metadata);
  return [
    cardOf(
      tool,
      { metadata, parameters: schemaText(tool.inputSchema), body: tool.examples.join('\n') },
      joined(
        '\n',
        tool.name,
        tool.description,
        labeled('Tags', tool.tags),
        ...tool.examples,
        ...representativeQueries(tool.metadata),
      ),
    ),
  ];
}

function unitsOfVirtualServer(server: VirtualServer): readonly Unit[] {
  const tools = mappedTools(server);
  const metadata = server.created_by === undefined ? '' : `created_by ${server.created_by}`;
  const queries = representativeQueries(server.metadata);
  const card = cardOf(
    server,
    { metadata, tools: toolLines(tools), body: queries.join('\n') },
    joined(
      '\n',
      server.name,
      server.description,
      labeled('Tags', server.tags),
      ...queries,
      ...tools.map((tool) => tool.description),
      labeled(
        'Tools',
        tools.map((tool) => tool.name),
      ),
    ),
  );
  return [card, ...toolUnits(server, tools)];
}

function unitsOfAgent(agent: A2aAgent): readonly Unit[] {
  const metadata = flattenMetadata(agent.metadata);
  const skills = agent.skills.map((skill) => joined(' ', skill.name, skill.description)).join('\n');
  const capabilities = labeled('Capabilities', Object.keys(agent.capabilities));
  const card = cardOf(
    agent,
    { metadata: joined('\n', metadata, capabilities), tools: skills },
    joined(
      '\n',
      agent.name,
      agent.description,
      labeled('Tags', agent.tags),
      ...representativeQueries(agent.metadata),
      capabilities,
      skills,
      tellingMetadata(agent.metadata),
    ),
  );
  const keys = uniqueKeys(
    'agent_skill',
    agent.skills.map((skill) => (skill.id === '' ? skill.name : skill.id)),
  );
  const units = agent.skills.map((skill, i) =>
    makeUnit(
      agent,
      keys[i]!,
      'agent_skill',
      skill.name,
      {
        name: skill.name,
        path: agent.path,
        description: skill.description,
        tags: skill.tags.join('\n'),
        metadata: agent.name,
        body: skill.examples.join('\n'),
      },
      joined('\n', `${agent.name}: ${skill.name}`, skill.description, labeled('Tags', skill.tags), ...skill.examples),
    ),
  );
  return [card, ...units];
}

function unitsOfSkill(skill: Skill): readonly Unit[] {
  const metadata = joined(
    ' ',
    skill.author === undefined ? '' : `author ${skill.author}`,
    skill.version === undefined ? '' : `version ${skill.version}`,
    flattenMetadata(skill.metadata),
    skill.registry_name === undefined ? '' : `registry ${skill.registry_name}`,
  );
  const card = cardOf(
    skill,
    { metadata },
    joined(
      '\n',
      skill.name,
      skill.description,
      labeled('Tags', skill.tags),
      ...representativeQueries(skill.metadata),
      skill.compatibility === undefined ? '' : `Compatibility: ${skill.compatibility}`,
      labeled('For', skill.target_agents),
      skill.author === undefined ? '' : `Author: ${skill.author}`,
      tellingMetadata(skill.metadata),
    ),
  );
  const sections = markdownSections(skill.body).flatMap((section) =>
    chunkText(section.text).map((text) => ({ heading: section.heading, text })),
  );
  const units = sections.map(({ heading, text }, i) =>
    makeUnit(
      skill,
      `section:${i}`,
      'section',
      heading === '' ? skill.name : heading,
      { name: heading, metadata: skill.name, body: text },
      joined('\n', joined(': ', skill.name, heading), text),
    ),
  );
  return [card, ...units];
}

function unitsOfPackage(pkg: Package): readonly Unit[] {
  const metadata = joined(
    '\n',
    pkg.ecosystem,
    pkg.package_name,
    pkg.language,
    ...pkg.languages,
    pkg.category,
    ...pkg.deployment,
    pkg.license,
    flattenMetadata(pkg.metadata),
  );
  const kind = joined(' ', pkg.language, pkg.category);
  const queries = representativeQueries(pkg.metadata);
  return [
    cardOf(pkg, { metadata }, joined('\n', pkg.name, pkg.description, kind, labeled('Tags', pkg.tags), ...queries)),
  ];
}

/** A short text is part of the card. A long one becomes separate chunks. */
function textUnits(entity: Memory | DocumentEntity, text: string): readonly Unit[] {
  const metadata = flattenMetadata(entity.metadata);
  const chunks = chunkText(text);
  const whole = chunks.length === 1 ? chunks[0]! : '';
  const card = cardOf(
    entity,
    { metadata, body: whole },
    joined('\n', entity.name, entity.description, whole, labeled('Tags', entity.tags)),
  );
  if (chunks.length < 2) return [card];
  const units = chunks.map((chunk, i) =>
    makeUnit(
      entity,
      `chunk:${i}`,
      'chunk',
      `${card.title} (part ${i + 1} of ${chunks.length})`,
      { metadata: entity.name, body: chunk },
      joined('\n', entity.name, chunk),
    ),
  );
  return [card, ...units];
}

const unitsOfMemory = (memory: Memory): readonly Unit[] => textUnits(memory, memory.content);

const unitsOfDocument = (document: DocumentEntity): readonly Unit[] => textUnits(document, document.body);

/** All units of an entity, card first. The same entity always gives the same units. */
export function unitsOf(entity: Entity): readonly Unit[] {
  switch (entity.type) {
    case 'mcp_server':
      return unitsOfServer(entity);
    case 'tool':
      return unitsOfTool(entity);
    case 'virtual_server':
      return unitsOfVirtualServer(entity);
    case 'a2a_agent':
      return unitsOfAgent(entity);
    case 'skill':
      return unitsOfSkill(entity);
    case 'package':
      return unitsOfPackage(entity);
    case 'memory':
      return unitsOfMemory(entity);
    case 'document':
      return unitsOfDocument(entity);
  }
}
