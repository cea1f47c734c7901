import {
  askedQuestion,
  checkFindability,
  type Findability,
  FOUND_WITHIN,
  findabilityOf,
} from '../../lint/findability.ts';
import { type Question, questionsFor } from '../../lint/paraphrase.ts';
import { reportOf, type ServerReport } from '../../lint/report.ts';
import { searchWithTools, toolItems } from '../../mcp/items/tool-items.ts';
import type { McpServer } from '../../model/entity.ts';
import type { ListedTool } from '../../model/entity-types/descriptor.ts';
import { typesOfRole } from '../../model/entity-types/table.ts';
import type { Registry } from '../../registry/contract/registry.ts';

/** The tools that an agent is shown for a text, best first: `/server#tool`. */
export type ToolSearch = (text: string) => Promise<readonly string[]>;

/** The search of `search_tools`, so that what is measured is what an agent gets. */
export function toolSearch(registry: Pick<Registry, 'search'>): ToolSearch {
  const kinds = [...typesOfRole('capability')];
  return async (query) => {
    const answer = await searchWithTools(registry, { query, entity_types: kinds }, FOUND_WITHIN);
    return toolItems(answer, FOUND_WITHIN).map(({ item }) => item.path);
  };
}

/** The questions of every tool of these servers, by the path of the tool. */
export function questionsOf(servers: readonly McpServer[]): ReadonlyMap<string, readonly Question[]> {
  return new Map(
    servers.flatMap((server) =>
      server.tools.map((tool) => [`${server.path}#${tool.name}`, questionsFor(tool, server.name)] as const),
    ),
  );
}

export interface MeasureOptions {
  readonly search: ToolSearch;
  readonly questions: ReadonlyMap<string, readonly Question[]>;
  readonly signal: AbortSignal;
  readonly onQuestion?: () => void;
}

/** Asks every question of every tool of a server. */
export async function measureServer(server: McpServer, options: MeasureOptions): Promise<readonly Findability[]> {
  const measured: Findability[] = [];
  for (const { name } of server.tools) {
    const path = `${server.path}#${name}`;
    const asked = [];
    for (const question of options.questions.get(path) ?? []) {
      options.signal.throwIfAborted();
      asked.push(askedQuestion(question, path, await options.search(question.text)));
      options.onQuestion?.();
    }
    measured.push(findabilityOf(name, path, asked));
  }
  return measured;
}

/** Rules and findability of each server. `rivals` have the tools that may take a place. Without a search, only the rules. */
export async function lintServers(
  servers: readonly McpServer[],
  rivals: readonly McpServer[],
  options: MeasureOptions | null,
): Promise<readonly ServerReport[]> {
  const tools = new Map<string, ListedTool>();
  for (const { path, tools: listed } of [...rivals, ...servers])
    for (const tool of listed) tools.set(`${path}#${tool.name}`, tool);
  const reports: ServerReport[] = [];
  for (const server of servers) {
    const measured = options === null ? [] : await measureServer(server, options);
    const hard = measured.flatMap((one) => checkFindability(server, one, (path) => tools.get(path)));
    reports.push(reportOf(server, measured, hard));
  }
  return reports;
}
