import type { Health } from '../../registry/contract/registry.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print } from '../context/context.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { oneLine, padEnd, textWidth } from '../terminal/text-width.ts';

type PeerRow = NonNullable<Health['peers']>[number] & { readonly results?: number };

const STATE_WORDS = {
  answered: 'answers',
  too_late: 'too late',
  failed: 'fails',
  paused: 'paused',
  unknown: 'not asked yet',
} as const;

/** The peers that the caller may have asked, and how they fared. With words, they are asked first. */
async function run(run: CommandRun): Promise<number> {
  const query = run.args.join(' ').trim();
  return withBackend(run, { reads: true, missing: 'warn' }, async (backend) => {
    const asked = query === '' ? undefined : (await backend.search({ query, peers: true, max_results: 5 })).peers;
    const { peers: known = [] } = await backend.health();
    const peers: PeerRow[] = known.map((peer) => {
      const results = asked?.find(({ name }) => name === peer.name)?.results;
      return results === undefined ? peer : { ...peer, results };
    });
    print(run, { peers }, () => tableOf(peers, run.out));
    return asked?.some(({ state }) => state !== 'answered') === true ? 1 : 0;
  });
}

function tableOf(peers: readonly PeerRow[], { style }: Terminal): string {
  if (peers.length === 0) return 'There are no peers. Name them in the setting `peers`: see docs/peers.md.\n';
  const width = Math.max(...peers.map(({ name }) => textWidth(name)));
  const lines = peers.flatMap(({ name, kind, url, state, error, results }) => {
    const word = state === 'answered' ? style.green(STATE_WORDS[state]) : style.yellow(STATE_WORDS[state]);
    const found = results === undefined ? '' : `  ${results} shown`;
    const head = `${padEnd(name, width)}  ${padEnd(kind, 'registry'.length)}  ${word}${found}  ${oneLine(url)}`;
    return error === undefined ? [head] : [head, `${' '.repeat(width)}  ${oneLine(error)}`];
  });
  return `${lines.join('\n')}\n`;
}

export const command: CommandModule = { run };
