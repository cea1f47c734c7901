import { parseJson } from '../../api/wire/json-text.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { fetchDocument, unreachable } from '../../sources/fetch/read-document.ts';
import { cardAddresses } from '../../sources/kinds/agent-card-source.ts';
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
    const read = parseJson(document.text, 'agent card');
    if (isJsonObject(read) && isCard(read)) return { url, card: cardFields(read) };
  }
  throw unreachable(address, 'has no agent card');
}

/** The fields of A2A's agent cards, of every version. */
const CARD_FIELDS = [
  ...['name', 'description', 'version', 'provider', 'url', 'iconUrl', 'documentationUrl'],
  ...['protocolVersion', 'protocolVersions', 'preferredTransport', 'additionalInterfaces', 'supportedInterfaces'],
  ...['capabilities', 'skills', 'defaultInputModes', 'defaultOutputModes', 'authentication'],
  ...['security', 'securitySchemes', 'securityRequirements', 'supportsAuthenticatedExtendedCard', 'signatures'],
];

/** Whatever else a server answers with is not shown: a caller chooses the address, and must not read JSON of any kind through this server. */
const cardFields = (read: JsonObject): JsonObject =>
  Object.fromEntries(CARD_FIELDS.flatMap((field) => (Object.hasOwn(read, field) ? [[field, read[field]]] : [])));

const isCard = ({ name, skills, capabilities, url, supportedInterfaces }: JsonObject): boolean =>
  typeof name === 'string' && [skills, capabilities, url, supportedInterfaces].some((field) => field !== undefined);
