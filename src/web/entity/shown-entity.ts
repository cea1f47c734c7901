import type { DescribedTool } from '../../lint/description.ts';
import type { Entity } from '../data/api.ts';
import { isObject } from '../data/json.ts';

/** A tool as a server lists it. */
export interface ListedTool extends DescribedTool {
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  readonly icons?: unknown;
  /** Of a tool of a virtual server: the tool that answers its calls. */
  readonly backend?: { readonly server: string; readonly tool: string };
}

/** The parts of an entity that the page shows, whatever its type. */
export interface ShownEntity {
  readonly facts: readonly (readonly [string, string])[];
  readonly links: readonly (readonly [string, string])[];
  readonly tools: readonly ListedTool[];
  /** Of a virtual server: the paths of the servers whose tools it has. */
  readonly backends: readonly string[];
  /** Of a server: what its publisher shows of it. */
  readonly icons: unknown;
  /** SKILL.md, the text of a memory or of a document. */
  readonly text: string;
}

const FACTS = [
  ['version', 'Version'],
  ['license', 'License'],
  ['provider', 'Provider'],
  ['owner', 'Owner'],
  ['visibility', 'Visibility'],
  ['deployment', 'Deployment'],
  ['auth_scheme', 'Authentication'],
  ['server_path', 'Server'],
] as const;

const LINKS = [
  ['url', 'Address'],
  ['mcp_endpoint', 'MCP endpoint'],
  ['sse_endpoint', 'SSE endpoint'],
  ['homepage', 'Home page'],
  ['repository', 'Repository'],
] as const;

type Fields = Readonly<Record<string, unknown>>;

const named = (fields: Fields, table: readonly (readonly [string, string])[]) =>
  table.flatMap(([field, title]): [string, string][] => {
    const value = fields[field];
    return typeof value === 'string' && value !== '' ? [[title, value]] : [];
  });

export function shownEntity(entity: Entity): ShownEntity {
  const fields: Fields = entity;
  const text = [fields.body, fields.content, fields.text].find((value) => typeof value === 'string');
  return {
    facts: named(fields, FACTS),
    links: named(fields, LINKS),
    tools: toolsOf(fields),
    backends: [...new Set(mappingsOf(fields).map(({ backend_server_path }) => backend_server_path))],
    icons: isObject(fields.server_json) ? fields.server_json.icons : undefined,
    text: typeof text === 'string' ? text : '',
  };
}

/** A tool of a virtual server, under its own name. */
interface Mapping {
  readonly tool_name: string;
  readonly alias?: string;
  readonly description_override?: string;
  readonly backend_server_path: string;
  readonly inherited?: Omit<ListedTool, 'name'>;
}

const mappingsOf = ({ tool_mappings: mappings }: Fields): readonly Mapping[] =>
  Array.isArray(mappings) ? (mappings as readonly Mapping[]) : [];

const mappedTool = ({
  tool_name,
  alias,
  description_override,
  backend_server_path,
  inherited,
}: Mapping): ListedTool => ({
  ...inherited,
  name: alias ?? tool_name,
  description: description_override ?? inherited?.description,
  backend: { server: backend_server_path, tool: tool_name },
});

/** The tools of a server, or the skills of an agent: both have a name and a description. */
function toolsOf(fields: Fields): readonly ListedTool[] {
  const mapped = mappingsOf(fields).map(mappedTool);
  if (mapped.length > 0) return mapped;
  const list = [fields.tools, fields.skills].find((value) => Array.isArray(value)) as readonly unknown[] | undefined;
  return (list ?? []).filter((tool): tool is ListedTool & Fields => isObject(tool) && typeof tool.name === 'string');
}
