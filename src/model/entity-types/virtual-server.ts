import { z } from 'zod';
import { STATUSES } from '../entity-parts/names.ts';
import { representativeQueries } from '../text/metadata-text.ts';
import { type EntityTypeDescriptor, type ListedTool, PLAIN } from './descriptor.ts';
import { jsonObject, nonEmpty, serverHitFields, sharedFields, strings, text } from './fields.ts';
import { cardOf, introOf, labeled, partLines, partUnits } from './make-units.ts';
import { definitionOf, optionalDefinition } from './tool-definition.ts';
import { textsIn } from './tool-texts.ts';

export const toolMappingSchema = z.object({
  tool_name: nonEmpty(512),
  alias: text(512).optional(),
  backend_server_path: nonEmpty(512),
  backend_version: text(128).optional(),
  description_override: text(1024).optional(),
  /** The definition of the backend's tool. Set by the registry; a caller's value is ignored. */
  inherited: z
    .object({ description: text(100_000), inputSchema: jsonObject.optional(), ...optionalDefinition })
    .optional(),
});
export type ToolMapping = z.output<typeof toolMappingSchema>;

const schema = z.object({
  type: z.literal('virtual_server'),
  ...sharedFields,
  tool_mappings: z.array(toolMappingSchema).max(500).default([]),
  required_scopes: strings(50),
  tool_scope_overrides: z
    .array(z.object({ tool_alias: nonEmpty(512), required_scopes: strings(50) }))
    .max(500)
    .default([]),
  supported_transports: strings(20),
  created_by: text(256).optional(),
});

const hit = z.object({
  ...serverHitFields,
  tool_count: z.int().describe('The same as `num_tools`, under its newer name.'),
  backend_count: z.int(),
  backend_paths: z.array(z.string()),
  status: z.enum(STATUSES),
  metadata: jsonObject.nullable(),
});

/** A mapping's own name and description come before those of its tool. */
const mappedTool = ({ alias, tool_name, description_override, inherited }: ToolMapping): ListedTool => ({
  name: alias ?? tool_name,
  description: description_override ?? inherited?.description ?? '',
  ...(inherited?.inputSchema === undefined ? {} : { inputSchema: inherited.inputSchema }),
  ...definitionOf(inherited ?? {}),
});

/** By server that cannot change. A search asks several times. */
const lists = new WeakMap<object, readonly ListedTool[]>();

function list(server: z.output<typeof schema>): readonly ListedTool[] {
  const known = lists.get(server);
  if (known !== undefined) return known;
  const tools = server.tool_mappings.map(mappedTool);
  if (Object.isFrozen(server)) lists.set(server, Object.freeze(tools));
  return tools;
}

export const virtualServer = {
  ...PLAIN,
  schema,
  role: 'capability',
  words: ['virtual server', 'virtual servers'],
  group: 'virtual_servers',
  hit,
  tools: { list, areHits: false },
  pathPrefix: '/virtual/',
  texts: ({ tool_mappings }) =>
    tool_mappings.flatMap((mapping, at) => {
      const { name, description, inputSchema } = mappedTool(mapping);
      const field = `tool_mappings.${at}`;
      const said = mapping.description_override === undefined ? 'inherited.description' : 'description_override';
      return [
        { field: `${field}.${mapping.alias === undefined ? 'tool_name' : 'alias'}`, name, text: name },
        { field: `${field}.${said}`, name, text: description },
        ...textsIn(inputSchema, `${field}.inherited.inputSchema`, name),
      ];
    }),
  units(server) {
    const tools = list(server);
    const metadata = server.created_by === undefined ? '' : `created_by ${server.created_by}`;
    const body = representativeQueries(server.metadata).join('\n');
    const names = tools.map(({ name }) => name);
    const embed = [...introOf(server), ...tools.map(({ description }) => description), labeled('Tools', names)];
    return [cardOf(server, { metadata, tools: partLines(tools), body }, embed), ...partUnits(server, 'tool', tools)];
  },
} as const satisfies EntityTypeDescriptor<z.output<typeof schema>>;
