import { trimEndChars } from '../../model/text/trim-chars.ts';
import { fileSource } from '../fetch/file-source.ts';
import { fetchDocument, unreachable } from '../fetch/read-document.ts';
import { type RemoteSpec, remoteSource } from '../fetch/remote-source.ts';
import { readAgentCard } from '../formats/a2a-card.ts';
import { parseJsonWithComments } from '../formats/json-with-comments.ts';
import { withoutClaims } from '../formats/registry-claims.ts';
import { publicUrl } from '../secrets/secret-references.ts';
import type { Source, SourceContext, SourceItem } from '../source.ts';

/** Where agents publish their card, newest first (A2A 0.3 renamed it). */
export const CARD_PLACES = ['/.well-known/agent-card.json', '/.well-known/agent.json'] as const;

/** The possible addresses of a card: the given one if it names a document, then the well-known ones. */
export function cardAddresses(address: string): readonly string[] {
  const url = new URL(address);
  if (/\.json$/i.test(url.pathname)) return [address];
  const below = trimEndChars(url.pathname, '/');
  const places = CARD_PLACES.flatMap((place) => (below === '' ? [place] : [`${below}${place}`, place]));
  const others = places.map((place) => {
    const other = new URL(address);
    other.pathname = place;
    return other.href;
  });
  return below === '' ? others : [address, ...others];
}

function fetchedItem(card: unknown): SourceItem {
  const { entity, warnings } = readAgentCard(card, { fetched: true });
  return { part: '', entity: withoutClaims(entity), warnings };
}

/** An agent, from the file of its card. The agent itself is not called. */
export function agentCardFileSource(path: string, context: SourceContext): Source {
  const traits = { kind: 'a2a', live: false, directory: false } as const;
  return fileSource(path, context, traits, function* ({ text, file }) {
    yield { part: '', ...readAgentCard(parseJsonWithComments(text, file)) };
  });
}

/** An agent, from the address of its card, or from its own address with a card at a well-known path. */
export function agentCardSource(spec: RemoteSpec, context: SourceContext): Source {
  const traits = { kind: 'a2a', live: true, directory: false } as const;
  return remoteSource(spec, context, traits, async function* ({ url, headers, signal }) {
    let status = 0;
    for (const address of cardAddresses(url)) {
      const document = await fetchDocument(address, { limits: context.limits, signal, headers });
      if (document.status === 200 && document.text.trimStart().startsWith('{')) {
        yield fetchedItem(parseJsonWithComments(document.text, publicUrl(address).text));
        return;
      }
      status = document.status;
    }
    throw unreachable(url, `has no agent card (the last answer was ${status})`);
  });
}
