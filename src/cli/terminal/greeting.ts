import type { Health } from '../../registry/registry.ts';
import { formatCount, formatThings } from './progress.ts';
import type { Style } from './terminal.ts';

/** What `serve` says at its start: where it is, what it holds, how to connect an agent, and one question to try. */
export function greeting({ version, store, index, embedder }: Health, url: string, { bold, dim }: Style): string {
  const vectors = index.missing_vectors > 0 ? `, ${formatThings(index.missing_vectors, 'vector')} to come` : '';
  return `${bold(`Dowser ${version}`)} at ${bold(url)}
${dim(`  data      ${store.path ?? 'in memory'}, ${formatCount(index.entities)} entities${vectors}`)}
${dim(`  embedder  ${embedderWords(embedder)}`)}
  agents    ${bold(`claude mcp add --transport http dowser ${url}/mcp`)}

Try, in another terminal:
  curl -s ${url}/api/search/semantic -H 'content-type: application/json' \\
    -d '{"query": "find a tool that reads PDFs", "max_results": 3}'

`;
}

function embedderWords({ id, state }: Health['embedder']): string {
  if (id === null) return 'none: searches are by keyword';
  return state === 'down' ? `${id} is down: searches are by keyword` : `${id} (${state})`;
}
