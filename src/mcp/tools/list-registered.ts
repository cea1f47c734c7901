import { z } from 'zod';
import { cursorSchema, type Entity, type EntityOf } from '../../model/entity.ts';
import { wholeNumber } from '../../model/query/query-fields.ts';
import { ellipsed } from '../../model/text/token-count.ts';
import { defineTool } from '../catalog/mcp-tool.ts';
import { instructionWarnings, oneLine, warningsField } from '../items/fields.ts';
import { fitItems } from '../items/fit-items.ts';

const MAX_LISTED = 100;
const DESCRIPTION_CHARS = 300;

const input = z.strictObject({
  limit: wholeNumber(1, MAX_LISTED).default(20).describe(`How many, 1 to ${MAX_LISTED}.`),
  cursor: cursorSchema.optional().describe('`next_cursor` of the previous page.'),
});

/** Inner fields are described in words: every list of tools has the schema. */
const items = (fields: string) => z.array(z.record(z.string(), z.unknown())).describe(fields);
const page = {
  status: z.enum(['success', 'failed']),
  error: z.string().exactOptional(),
  total_count: z.int(),
  next_cursor: z.string().exactOptional(),
  warnings: warningsField,
};

function toListed({ name, path, description, tags, is_enabled }: Entity) {
  return { name, path, description: ellipsed(oneLine(description), DESCRIPTION_CHARS), tags, is_enabled };
}

/** A tool that lists all entities of a type by path, for clients of the MCP gateway registry. */
function listingTool<T extends 'mcp_server' | 'a2a_agent'>(options: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly type: T;
  readonly field: string;
  readonly fields: string;
  readonly toItem: (entity: EntityOf<T>) => Record<string, unknown>;
}) {
  const { type, field, fields, toItem } = options;
  const answer = (found: readonly object[], facts: object) => ({ [field]: found, ...facts });
  const output = z.object({ ...page, [field]: items(fields) });
  return defineTool({
    name: options.name,
    title: options.title,
    right: 'read',
    description: options.description,
    input,
    output: output as z.ZodObject,
    failure: (error) => answer([], { status: 'failed', error, total_count: 0, warnings: [] }),
    async run(catalog, { limit, cursor }) {
      const found = await catalog.page({ types: [type], limit, after: cursor });
      const entities = found.entities.map(({ entity }) => entity);
      const warnings = entities.flatMap(({ path, description }) => instructionWarnings(path, description));
      const next = found.cursor === undefined ? {} : { next_cursor: found.cursor };
      const { text } = fitItems(
        entities.map(({ name, path, description }) => ({ item: { name, kind: type, path }, description })),
        { detail: 'brief', opening: entities.length === 0 ? 'Nothing is registered.' : '', warnings },
      );
      const facts = { status: 'success', total_count: found.total_count, warnings, ...next };
      return {
        structured: answer(
          entities.map((entity) => toItem(entity as EntityOf<T>)),
          facts,
        ),
        text,
      };
    },
  });
}

export const listServices = listingTool({
  name: 'list_services',
  title: 'List servers',
  description: 'List the registered MCP servers. search_tools finds the right one.',
  type: 'mcp_server',
  field: 'services',
  fields: 'name, path, description, tags, is_enabled, num_tools',
  toItem: (server) => ({ ...toListed(server), num_tools: server.tools.length }),
});

export const listAgents = listingTool({
  name: 'list_agents',
  title: 'List agents',
  description: 'List the registered A2A agents. search_tools finds the right one.',
  type: 'a2a_agent',
  field: 'agents',
  fields: 'name, path, description, tags, is_enabled, url, skills',
  toItem: (agent) => ({ ...toListed(agent), url: agent.url ?? '', skills: agent.skills.map(({ name }) => name) }),
});
