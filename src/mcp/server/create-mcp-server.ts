import { McpServer, type StandardSchemaWithJSON, type Tool } from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { z } from 'zod';
import type { DocumentReader } from '../../documents/contract/document-reader.ts';
import type { Scope } from '../../model/caller/caller.ts';
import { DowserError, type ErrorCode, toDowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { type CallTool, registerCallTool, toListedCallTool } from '../calls/call-tools.ts';
import type { FullCatalog } from '../catalog/catalog.ts';
import type { CatalogReading } from '../catalog/catalog-reading.ts';
import { CatalogSummary } from '../catalog/catalog-summary.ts';
import { failureText } from '../catalog/failure-text.ts';
import { serveToolList } from '../catalog/lists.ts';
import { annotationsOf, type McpTool } from '../catalog/mcp-tool.ts';
import { SkillListing, serveSkillResources, skillSource } from '../catalog/skill-resources.ts';
import { modelWarnings, warningContent, warnOfResources } from '../catalog/warn-model.ts';
import { whereCallable } from '../tools/tools.ts';
import { inputSchemaOnWire, listedOutput } from './wire-schema.ts';

/** Reads files of this machine, for a server that its user runs for itself: see `dowser mcp`. */
export interface LocalFiles {
  readonly reader: Pick<DocumentReader, 'read'>;
  readonly now: () => Date;
}

export interface McpOptions {
  readonly catalog: FullCatalog;
  readonly version: string;
  /** Whether the caller has a scope. Tools that need another are neither listed nor called. Default: every scope. */
  readonly mayUse?: (right: Scope) => boolean;
  /** Whether tools of registered servers may be called. Default false: no tool calls any. */
  readonly calls?: boolean | undefined;
  /** Files of this machine, for a server that its user runs for itself. Absent: no tool reads any. */
  readonly files?: LocalFiles | undefined;
  /** Called when the call of a tool has ended, with the code of its error. The answer may be under way already. */
  readonly onCalled?: (code?: ErrorCode) => void;
  /** Called for internal errors. The caller sees only that something went wrong. */
  readonly onError?: (error: unknown) => void;
}

/** Creates a server for each connection or request. They share the catalog, its summary and the skills. */
export interface McpServerMaker {
  /** The scope that each tool needs, by its name. */
  readonly rights: ReadonlyMap<string, Scope>;
  /** `notifies`: the client can be told that a list has changed. Only then does the server claim it. */
  make(options: { readonly notifies: boolean }): Promise<MadeServer>;
  /** What the lists show now, as far as the catalog can be read. */
  lists(): Promise<ListStates>;
}

/** A text for each list that changes when the list does. */
export interface ListStates {
  /** The summary of the catalog, which is in descriptions of tools. */
  readonly tools: string;
  readonly resources: string;
}

/** Of a server whose lists never change. */
export const NO_CHANGES: ListStates = { tools: '', resources: '' };

export interface MadeServer {
  readonly server: McpServer;
  /** Shows the new summary, and tells the client which lists have changed. */
  update(lists: ListStates): void;
}

/** How long a client may cache lists of this server. Writes change them, but a minute of delay is fine. */
const KEEP = { ttlMs: 60_000, cacheScope: 'public' } as const;
/** A list for one caller must not be shown to another. */
const KEEP_PRIVATE = { ...KEEP, cacheScope: 'private' } as const;

export interface ListOptions {
  /** Default: `full`. */
  readonly list?: ListStyle;
  /** Tools that call others. Listed and called only with `calls`. Default: none. */
  readonly calling?: readonly CallTool[];
  /** Changes how each tool answers. Default: not at all. */
  readonly limit?: (tool: McpTool) => McpTool;
}

export function createMcpServerMaker(
  { catalog, version, mayUse, calls = false, onCalled = () => {}, onError = () => {} }: McpOptions,
  finding: readonly McpTool[],
  { list = 'full', calling = [], limit = (tool) => tool }: ListOptions = {},
): McpServerMaker {
  const all = (calls && calling.length > 0 ? whereCallable(finding) : finding).map(limit);
  const callTools = calls ? calling.filter(({ right }) => mayUse?.(right) ?? true) : [];
  const keep = mayUse === undefined ? KEEP : KEEP_PRIVATE;
  const tools = all.filter(({ right }) => mayUse?.(right) ?? true);
  const summary = new CatalogSummary(catalog);
  const skills = new SkillsExtension({
    source: skillSource(catalog),
    cacheHint: keep,
    onWarning: ({ path, message }) => onError(new Error(`skill ${path}: ${message}`)),
  });
  const listing = new SkillListing(catalog);
  let last = NO_CHANGES;
  const read = (reading: CatalogReading, before: string) =>
    reading.current().catch((thrown: unknown) => {
      onError(thrown);
      return before;
    });
  return {
    rights: new Map([...all, ...(calls ? calling : [])].map(({ name, right }) => [name, right])),
    async lists() {
      last = { tools: await read(summary, last.tools), resources: await read(listing, last.resources) };
      return last;
    },
    async make({ notifies: listChanged }) {
      let shown: ListStates = { tools: await read(summary, last.tools), resources: '' };
      const server = new McpServer(
        { name: 'dowser', title: 'Dowser', version },
        {
          instructions: instructions(shown.tools),
          capabilities: { tools: { listChanged }, resources: { listChanged } },
          cacheHints: { 'tools/list': keep, 'server/discover': keep, 'resources/list': keep },
        },
      );
      for (const tool of tools) registerTool(server, tool, { catalog, onCalled, onError });
      for (const tool of callTools) registerCallTool(server, tool, { catalog, onCalled, onError });
      serveToolList(server, () => [
        ...tools.map((tool) => toListedTool(tool, shown.tools, list)),
        ...callTools.map(toListedCallTool),
      ]);
      warnOfResources(server, catalog);
      skills.attach(server);
      serveSkillResources(server, catalog);
      return {
        server,
        update(lists) {
          const before = shown;
          shown = lists;
          if (lists.tools !== before.tools) server.sendToolListChanged();
          // The first state is that of the lists that the client may have read.
          if (before.resources !== '' && lists.resources !== before.resources) server.sendResourceListChanged();
        },
      };
    },
  };
}

/** A model reads this before its first request. Under 150 tokens, including the summary. */
export function instructions(about: string): string {
  const use =
    'Dowser finds tools, MCP servers, agents and skills. Before you say that something cannot be done, call search_tools.';
  return `${use} ${about}`.trim();
}

function describeTool({ description, hasSummary }: McpTool, about: string): string {
  return hasSummary === true ? `${description} ${about}`.trim() : description;
}

/** `lean`: without schemas of answers and without rare arguments. An agent reads the list in each conversation. */
export type ListStyle = 'lean' | 'full';

/** A tool as the list shows it. */
export function toListedTool(tool: McpTool, about: string, style: ListStyle): Tool {
  const { name, title, input, rareArguments = [] } = tool;
  const inputSchema = inputSchemaOnWire(input, style === 'lean' ? rareArguments : []);
  const listed = {
    name,
    title,
    description: describeTool(tool, about),
    inputSchema: inputSchema as Tool['inputSchema'],
    annotations: annotationsOf(tool),
  };
  return style === 'lean'
    ? listed
    : { ...listed, outputSchema: listedOutput(tool) as NonNullable<Tool['outputSchema']> };
}

type Registration = Required<Pick<McpOptions, 'catalog' | 'onCalled' | 'onError'>>;

/** Lets clients call a tool. `serveToolList` lists it. */
export function registerTool(server: McpServer, tool: McpTool, { catalog, onCalled, onError }: Registration): void {
  const { name, title, input, output } = tool;
  const config = {
    title,
    inputSchema: checkedArguments(name, input),
    outputSchema: onWire(output, listedOutput(tool)),
    annotations: annotationsOf(tool),
  };
  server.registerTool(name, config, async (args: unknown) => {
    try {
      const { structured, text } = await tool.run(catalog, args as z.output<typeof input>);
      const warnings = await modelWarnings(catalog, { text, structured, asked: args });
      onCalled();
      const { warnings: given } = structured as { readonly warnings?: readonly string[] };
      const shown = given === undefined ? structured : { ...structured, warnings: [...given, ...warnings] };
      return { content: [{ type: 'text', text }, ...warningContent(warnings)], structuredContent: shown };
    } catch (thrown) {
      const error = toDowserError(thrown);
      onCalled(error.code);
      if (error.code === 'INTERNAL') onError(thrown);
      const text = failureText(error);
      const content = [{ type: 'text' as const, text }];
      if (tool.failure === undefined) return { content, isError: true };
      return { content, isError: true, structuredContent: tool.failure(text) };
    }
  });
}

/** Zod's own check, with a message that names the field and the value. */
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

/** A schema with zod's checks, shown as `json` in the list of tools. */
function onWire(
  schema: z.ZodObject,
  json: Readonly<Record<string, unknown>>,
  validate: Standard['validate'] = schema['~standard'].validate,
): StandardSchemaWithJSON {
  const jsonSchema = { input: () => ({ ...json }), output: () => ({ ...json }) };
  return { '~standard': { version: 1, vendor: 'dowser', validate, jsonSchema } };
}
