import { parseJson } from '../../api/json-text.ts';
import { DowserError } from '../../model/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json-object.ts';
import { cardAddresses } from '../../sources/agent-card-source.ts';
import { fetchDocument, unreachable } from '../../sources/read-document.ts';
import type { SourceLimits } from '../../sources/source.ts';
import { readAllowed } from './allowed-address.ts';

export interface CardReader {
  readonly limits: SourceLimits;
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

export interface RemoteCard {
  readonly url: string;
  readonly card: JsonObject;
}

/** The published card of an agent. Throws FORBIDDEN for a private address, and SOURCE_UNREACHABLE without a card. */
export async function readRemoteCard(address: string, reader: CardReader): Promise<RemoteCard> {
  if (address === '') {
    throw new DowserError('INVALID_REQUEST', 'The agent has no address to read a card at.', { field: 'url' });
  }
  return readAllowed(address, reader.allowPrivate, () => readCard(address, reader));
}

async function readCard(address: string, reader: CardReader): Promise<RemoteCard> {
  for (const url of cardAddresses(address)) {
    const document = await fetchDocument(url, reader);
    if (document.status !== 200 || !document.text.trimStart().startsWith('{')) continue;
    const card = parseJson(document.text, 'agent card');
    if (isJsonObject(card)) return { url, card };
  }
  throw unreachable(address, 'has no agent card');
}
