import { toolTokens } from '../../mcp/context-cost.ts';
import type { McpServer } from '../../model/entity.ts';

export interface ServerCost {
  readonly path: string;
  readonly name: string;
  readonly tokens: number;
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
}

export interface ClientCost {
  /** What was read: the file of a client, a command, or `registry`. */
  readonly client: string;
  readonly tokens: number;
  readonly tools: number;
  readonly servers: readonly ServerCost[];
}

/** What the same tools cost through Dowser. */
export interface DowserCost {
  readonly toolset: string;
  readonly tools: number;
  /** Of its list, in each conversation. */
  readonly tokens: number;
  /** The mean answer of `search_tools` with five results. */
  readonly answer: number;
  /** The mean answer of `get_details` about one tool. */
  readonly details: number;
}

/** What `dowser cost --json` prints. Tokens are upper estimates. */
export interface CostAnswer {
  readonly clients: readonly ClientCost[];
  readonly dowser: DowserCost;
  /** So many tools can be found and read in one conversation before loading all is cheaper. By client, in their order. */
  readonly break_even: readonly number[];
  readonly problems: readonly { readonly part: string; readonly message: string }[];
}

export function clientCost(client: string, servers: readonly McpServer[]): ClientCost {
  const costs = servers.map(({ path, name, tools }): ServerCost => {
    const each = tools.map((tool) => ({ name: tool.name, tokens: toolTokens(tool) }));
    return { path, name, tokens: sum(each.map(({ tokens }) => tokens)), tools: each };
  });
  return {
    client,
    tokens: sum(costs.map(({ tokens }) => tokens)),
    tools: sum(costs.map(({ tools }) => tools.length)),
    servers: costs.sort((a, b) => b.tokens - a.tokens || (a.path < b.path ? -1 : 1)),
  };
}

/** 0 if loading everything is always cheaper. */
export function breakEven(all: number, { tokens, answer, details }: DowserCost): number {
  return answer + details === 0 ? 0 : Math.max(0, Math.floor((all - tokens) / (answer + details)));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : Math.round(sum(values) / values.length);
