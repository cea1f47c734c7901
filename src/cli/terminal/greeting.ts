import type { Health } from '../../registry/registry.ts';
import { formatCount, formatThings } from './progress.ts';
import type { Style } from './terminal.ts';

export interface GreetingOptions {
  readonly url: string;
  /** How the program is called from a shell: `dowser`. */
  readonly program: string;
  /** The data folder, if it is not the default. */
  readonly data?: string;
  /** Other machines can reach it, and may only read. */
  readonly readOnlyForOthers?: boolean;
}

/** What `serve` prints at its start: its address, its data, how to connect an agent, and a search to try. */
export function greeting(
  { version, store, index, embedder }: Health,
  { url, program, data, readOnlyForOthers = false }: GreetingOptions,
  { bold, dim }: Style,
): string {
  const folder = data === undefined ? '' : ` --data ${/^[\w./~-]+$/.test(data) ? data : `'${data}'`}`;
  const vectors = index.missing_vectors > 0 ? `, ${formatThings(index.missing_vectors, 'vector')} to come` : '';
  return `${bold(`Dowser ${version}`)} at ${bold(url)}
${dim(`  data      ${store.path ?? 'in memory'}, ${formatCount(index.entities)} entities${vectors}`)}
${dim(`  embedder  ${embedderWords(embedder)}`)}
${readOnlyForOthers ? `${dim(`  network   ${READ_ONLY}`)}\n` : ''}  agents    ${bold(`claude mcp add --transport http dowser ${url}/mcp`)}

Try, in another terminal${program === 'dowser' ? '' : ', in the same folder'}:
  ${bold(`${program} search "find a tool that reads PDFs" --limit 3${folder}`)}

`;
}

const READ_ONLY = 'others can only read; to let them write, set allow_remote_writes';

function embedderWords({ id, state }: Health['embedder']): string {
  if (id === null) return 'none: searches are by keyword';
  return state === 'down' ? `${id} is down: searches are by keyword` : `${id} (${state})`;
}
