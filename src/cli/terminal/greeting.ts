import type { Health } from '../../registry/contract/registry.ts';
import { formatEntities, formatThings } from './progress.ts';
import type { Style } from './terminal.ts';

type Network = 'local' | 'read-only' | 'credentials';

export interface GreetingOptions {
  readonly url: string;
  /** How the program is called from a shell: `dowser`. */
  readonly program: string;
  /** The data folder, if it is not the default. */
  readonly data?: string;
  /** What requests of others need. `local`: only this machine can reach it. */
  readonly network?: Network;
}

/** What `serve` prints at its start: its address, its data, how to connect an agent, and what to try. */
export function greeting(
  { version, store, index, embedder }: Health,
  { url, program, data, network = 'local' }: GreetingOptions,
  { bold, dim }: Style,
): string {
  const folder = data === undefined ? '' : ` --data ${/^[\w./~-]+$/.test(data) ? data : `'${data}'`}`;
  const vectors = index.missing_vectors > 0 ? `, ${formatThings(index.missing_vectors, 'vector')} to come` : '';
  return `${bold(`Dowser ${version}`)} at ${bold(url)}
${dim(`  data      ${store.path ?? 'in memory'}, ${formatEntities(index.entities)}${vectors}`)}
${dim(`  embedder  ${embedderWords(embedder)}`)}
${network === 'local' ? '' : `${dim(`  network   ${NETWORK[network]}`)}\n`}  agents    ${bold(`claude mcp add --transport http dowser ${url}/mcp`)}

Try, in another terminal${program === 'dowser' ? '' : ', in the same folder'}:
  ${bold(`${program} ${index.entities === 0 ? 'examples load' : 'search "find a tool that reads PDFs" --limit 3'}${folder}`)}

`;
}

const NETWORK = {
  'read-only': 'others can only read; to let them write, set allow_remote_writes',
  credentials: 'requests need an API key or a token: create a key with `dowser key create`',
};

function embedderWords({ id, state }: Health['embedder']): string {
  if (id === null) return 'none: searches are by keyword';
  return state === 'down'
    ? `${id} is down: searches are by keyword; see why with \`dowser doctor\``
    : `${id} (${state})`;
}
