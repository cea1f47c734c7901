import type { CostAnswer } from '../cost/cost-answer.ts';
import { formatCount, formatThings } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { cut, oneLine, padEnd } from './text-width.ts';

const TOOLS_SHOWN = 10;
const NUMBER = 10;

const numbered = (count: number): string => formatCount(count).padStart(NUMBER);

/** A table for each client, then what Dowser costs in its place. `everyTool`: all tools, not only the most expensive. */
export function costTable({ clients, dowser, break_even }: CostAnswer, out: Terminal, everyTool: boolean): string {
  const { bold, dim } = out.style;
  const width = Math.max(20, out.columns - NUMBER - 2);
  const row = (name: string, tokens: number) =>
    `${padEnd(cut(oneLine(name), width), Math.min(width, 50))}${numbered(tokens)}`;
  const lines: string[] = [];
  for (const { client, servers, tokens, tools } of clients) {
    lines.push(bold(oneLine(client)), dim(`${padEnd('server', Math.min(width, 50))}${'tokens'.padStart(NUMBER)}`));
    for (const server of servers)
      lines.push(row(`${server.path} (${formatThings(server.tools.length, 'tool')})`, server.tokens));
    lines.push(bold(row(`all ${formatThings(tools, 'tool')}, in each conversation`, tokens)), '');
    const costly = servers
      .flatMap((server) => server.tools.map((tool) => ({ name: `${server.path}#${tool.name}`, tokens: tool.tokens })))
      .sort((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
    const shown = everyTool ? costly : costly.slice(0, TOOLS_SHOWN);
    lines.push(dim(shown.length < costly.length ? `the ${shown.length} most expensive tools` : 'tools'));
    for (const tool of shown) lines.push(row(tool.name, tool.tokens));
    lines.push('');
  }
  lines.push(bold('the same through Dowser'));
  lines.push(
    row(`${formatThings(dowser.tools, 'tool')} of the toolset ${dowser.toolset}, in each conversation`, dowser.tokens),
  );
  lines.push(
    row('an answer of search_tools, mean', dowser.answer),
    row('the details of one tool, mean', dowser.details),
    '',
  );
  for (const [at, { client }] of clients.entries()) lines.push(`${oneLine(client)}: ${verdict(break_even[at]!)}`);
  return `${lines.join('\n')}\n${dim('Tokens are upper estimates.')}\n`;
}

const verdict = (tools: number): string =>
  tools === 0
    ? 'loading everything is cheaper.'
    : `Dowser is cheaper until a conversation searches for more than ${formatThings(tools, 'tool')}.`;
