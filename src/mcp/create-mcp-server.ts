import { McpServer, type RegisteredTool, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { z } from 'zod';
import { DowserError, toDowserError } from '../model/errors.ts';
import { parseWith } from '../model/parse.ts';
import type { Catalog } from './catalog.ts';
import { CatalogSummary } from './catalog-summary.ts';
import { skillSource } from './skill-resources.ts';
import { ANNOTATIONS, type McpTool } from './tools/mcp-tool.ts';
import { MCP_TOOLS } from './tools/tools.ts';
import { inputSchemaOnWire, outputSchemaOnWire } from './wire-schema.ts';

export interface McpOptions {
  readonly catalog: Catalog;
  readonly version: string;
  /** Told of defects: what a caller sees of them is that something went wrong. */
  readonly onError?: (error: unknown) => void;
}

/** Makes servers of one catalog, one for each connection or request. They share the summary and the skills. */
export interface McpServerMaker {
  make(): Promise<MadeServer>;
  /** What a client reads of the catalog; '' when the catalog cannot be read now. */
  summary(): Promise<string>;
}

export interface MadeServer {
  readonly server: McpServer;
  /** Rewrites what the server says of the catalog and tells its client, if the text is another. */
  tell(about: string): void;
}

/** How long a client may keep what it was told of this server: writes change it, and seconds do not matter. */
const KEEP = { ttlMs: 60_000, cacheScope: 'public' } as const;

export function createMcpServerMaker({ catalog, version, onError = () => {} }: McpOptions): McpServerMaker {
  const summary = new CatalogSummary(catalog);
  const skills = new SkillsExtension({
    source: skillSource(catalog),
    cacheHint: KEEP,
    onWarning: ({ path, message }) => onError(new Error(`skill ${path}: ${message}`)),
  });
  const current = () =>
    summary.current().catch((thrown: unknown) => {
      onError(thrown);
      return '';
    });
  return {
    summary: current,
    async make() {
      let told = await current();
      const server = new McpServer(
        { name: 'dowser', title: 'Dowser', version },
        {
          instructions: instructions(told),
          capabilities: { tools: { listChanged: true }, resources: { listChanged: true } },
          cacheHints: { 'tools/list': KEEP, 'server/discover': KEEP, 'resources/list': KEEP },
        },
      );
      const registered = MCP_TOOLS.map((tool) => register(server, tool, catalog, told, onError));
      skills.attach(server);
      return {
        server,
        tell(about) {
          if (about === told) return;
          told = about;
          MCP_TOOLS.forEach((tool, at) => {
            if (tool.tellsCatalog === true) registered[at]!.update({ description: describeTool(tool, about) });
          });
          server.sendResourceListChanged();
        },
      };
    },
  };
}

/** What a model reads before it has asked anything. Under 150 tokens, the summary included. */
export function instructions(about: string): string {
  const use =
    'Dowser finds tools, MCP servers, agents and skills. Before you say that something cannot be done, ask search_tools.';
  return `${use} ${about}`.trim();
}

export function describeTool({ description, tellsCatalog }: McpTool, about: string): string {
  return tellsCatalog === true ? `${description} ${about}`.trim() : description;
}

function register(
  server: McpServer,
  tool: McpTool,
  catalog: Catalog,
  about: string,
  onError: (error: unknown) => void,
): RegisteredTool {
  const { name, title, input, output } = tool;
  const config = {
    title,
    description: describeTool(tool, about),
    inputSchema: checkedArguments(name, input),
    outputSchema: onWire(output, outputSchemaOnWire(output)),
    annotations: ANNOTATIONS,
  };
  return server.registerTool(name, config, async (args: unknown) => {
    try {
      const { structured, text } = await tool.run(catalog, args as z.output<typeof input>);
      return { content: [{ type: 'text', text }], structuredContent: structured };
    } catch (thrown) {
      const error = toDowserError(thrown);
      if (error.code === 'INTERNAL') onError(thrown);
      const text = failureText(error);
      const content = [{ type: 'text' as const, text }];
      if (tool.failure === undefined) return { content, isError: true };
      return { content, isError: true, structuredContent: tool.failure(text) };
    }
  });
}

export function failureText({ code, message, ownHint }: DowserError): string {
  return ownHint === undefined ? `${code}: ${message}` : `${code}: ${message} ${ownHint}`;
}

/** The same check as zod's own, with a sentence that names the field and the value. */
function checkedArguments(tool: string, schema: z.ZodObject): StandardSchemaWithJSON {
  return onWire(schema, inputSchemaOnWire(schema), (value: unknown) => {
    try {
      return { value: parseWith(schema, value, `arguments of ${tool}`) };
    } catch (thrown) {
      if (!(thrown instanceof DowserError)) throw thrown;
      return { issues: [{ message: thrown.message }] };
    }
  });
}

type Standard = StandardSchemaWithJSON['~standard'];

/** A schema that checks as zod does and reads as `json` in the list of tools. */
function onWire(
  schema: z.ZodObject,
  json: Readonly<Record<string, unknown>>,
  validate: Standard['validate'] = schema['~standard'].validate,
): StandardSchemaWithJSON {
  const jsonSchema = { input: () => ({ ...json }), output: () => ({ ...json }) };
  return { '~standard': { version: 1, vendor: 'dowser', validate, jsonSchema } };
}
