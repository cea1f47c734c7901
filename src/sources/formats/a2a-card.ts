import { type A2aAgent, parseEntity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject, stated } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { slugOf } from '../../model/text/slug.ts';
import { splitList } from '../../model/text/trim-chars.ts';

export interface ReadAgentCard {
  readonly entity: A2aAgent;
  /** Problems of the card, as sentences. The agent is registered all the same. */
  readonly warnings: readonly string[];
}

export interface ReadFields {
  readonly fields: JsonObject;
  readonly warnings: readonly string[];
}

export interface ReadCardOptions {
  /** Overrides the card's own `path`. Without either, the path is derived from the agent's name. */
  readonly path?: string;
  /** The card is from the network: ignore its own `path`. Default false. */
  readonly fetched?: boolean;
}

/** Fields that a registry adds to a card. They are not part of the card. */
const REGISTRY_FIELDS: readonly string[] = [
  'type',
  'path',
  'tags',
  'metadata',
  'status',
  'visibility',
  'allowedGroups',
  'allowed_groups',
  'trustLevel',
  'trust_level',
  'isEnabled',
  'is_enabled',
  'enabled',
  'owner',
  'registeredBy',
  'registered_by',
  'license',
  'supportedProtocol',
  'supported_protocol',
  'numSkills',
  'num_skills',
  'numStars',
  'num_stars',
  'rating_details',
  'registeredAt',
  'registered_at',
  'created_at',
  'updatedAt',
  'updated_at',
  'protocol_version',
  'id',
  'health_status',
  'last_checked_iso',
  'sync_metadata',
  'warnings',
  'message',
  'card',
];

/**
 * Reads an A2A agent card of version 0.3 or 1.0, with or without the fields of a registry. Tolerant: an invalid field is
 * dropped with a warning; only a card without a name is refused. The card is kept in its 1.0 form as `card`, so that
 * nothing is lost.
 */
export function readAgentCard(card: unknown, options: ReadCardOptions = {}): ReadAgentCard {
  const { fields, warnings } = readAgentFields(card, options);
  const parsed = parseEntity(fields);
  return { entity: parsed.entity as A2aAgent, warnings: [...warnings, ...parsed.warnings] };
}

/** The same as unparsed fields, for callers that change them before the registry parses them. */
export function readAgentFields(card: unknown, options: ReadCardOptions = {}): ReadFields {
  if (!isJsonObject(card)) {
    throw new DowserError('INVALID_REQUEST', `An agent card must be a JSON object, not ${showValue(card)}.`, {
      hint: 'An agent serves its card at /.well-known/agent-card.json.',
    });
  }
  const reader = new CardReader(card);
  const name = reader.text('name');
  if (name === undefined || name.trim() === '') {
    throw new DowserError(
      'INVALID_REQUEST',
      `'name' of the agent card is ${showValue(card.name)}: must not be empty.`,
      {
        field: 'name',
      },
    );
  }
  const current = toCurrentCard(card, reader);
  const [preferred] = current.supportedInterfaces as readonly JsonObject[];
  const url = preferred?.url;
  if (url === undefined) reader.warnings.push("The card has no address: neither 'supportedInterfaces' nor 'url'.");
  const description = reader.text('description');
  if (description === undefined)
    reader.warnings.push("The card has no 'description'. Search needs one to find the agent.");

  const given: JsonObject = {
    type: 'a2a_agent',
    path: options.path ?? (options.fetched === true ? undefined : reader.text('path')) ?? pathFor(name),
    name,
    description,
    tags: reader.texts('tags'),
    metadata: reader.object('metadata'),
    status: reader.text('status'),
    is_enabled: reader.flag('isEnabled', 'is_enabled', 'enabled'),
    visibility: reader.text('visibility'),
    owner: reader.text('owner', 'registeredBy', 'registered_by'),
    allowed_groups: reader.texts('allowedGroups', 'allowed_groups'),
    version: reader.text('version'),
    license: reader.text('license'),
    homepage: reader.text('documentationUrl', 'documentation_url', 'homepage'),
    repository: reader.text('repository'),
    url,
    provider: providerOf(reader),
    protocol_version: preferred?.protocolVersion,
    capabilities: current.capabilities,
    skills: skillsOf(reader),
    trust_level: reader.text('trustLevel', 'trust_level'),
    card: current,
  };
  return { fields: stated(given), warnings: reader.warnings };
}

/** Reads a field by the first of several names. An invalid value is reported once and counts as absent. */
class CardReader {
  readonly card: JsonObject;
  readonly warnings: string[] = [];

  constructor(card: JsonObject) {
    this.card = card;
  }

  text(...names: readonly string[]): string | undefined {
    return this.#read(names, 'text', (value) => (typeof value === 'string' ? value : undefined));
  }

  flag(...names: readonly string[]): boolean | undefined {
    return this.#read(names, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  object(...names: readonly string[]): JsonObject | undefined {
    return this.#read(names, 'an object', (value) => (isJsonObject(value) ? value : undefined));
  }

  list(...names: readonly string[]): readonly unknown[] | undefined {
    return this.#read(names, 'a list', (value) => (Array.isArray(value) ? value : undefined));
  }

  texts(...names: readonly string[]): readonly string[] | undefined {
    return this.#read(names, 'a list of strings', (value) => {
      if (typeof value === 'string') return splitList(value);
      return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
    });
  }

  #read<T>(names: readonly string[], wanted: string, as: (value: unknown) => T | undefined): T | undefined {
    const name = names.find((key) => this.card[key] !== undefined && this.card[key] !== null);
    if (name === undefined) return undefined;
    const value = as(this.card[name]);
    if (value === undefined) {
      this.warnings.push(`'${name}' of the card is ${showValue(this.card[name])}, not ${wanted}, and was dropped.`);
    }
    return value;
  }
}

function pathFor(name: string): string {
  const slug = slugOf(name);
  if (slug !== '') return `/${slug}`;
  throw new DowserError('INVALID_REQUEST', `Cannot derive a path from the agent's name ${showValue(name)}.`, {
    field: 'path',
    hint: "Add a 'path' to the card, such as /my-agent.",
  });
}

/** The card in the form of protocol version 1.0. `version` is that of the agent, not of the protocol. */
function toCurrentCard(card: JsonObject, reader: CardReader): JsonObject {
  const {
    url: _url,
    preferredTransport: _transport,
    additionalInterfaces: _additional,
    protocolVersion: _protocol,
    supportsAuthenticatedExtendedCard: extended,
    security,
    ...kept
  } = Object.fromEntries(Object.entries(card).filter(([key]) => !REGISTRY_FIELDS.includes(key)));
  const listed = reader.object('capabilities') ?? capabilityList(reader);
  const capabilities = typeof extended === 'boolean' ? { extendedAgentCard: extended, ...listed } : (listed ?? {});
  return {
    ...kept,
    supportedInterfaces: interfacesOf(reader),
    capabilities,
    ...(security === undefined || kept.securityRequirements !== undefined ? {} : { securityRequirements: security }),
  };
}

/** Some cards have a list of names in place of the protocol's object of booleans. */
function capabilityList(reader: CardReader): JsonObject | undefined {
  const { capabilities } = reader.card;
  if (!Array.isArray(capabilities) || !capabilities.every((item) => typeof item === 'string')) return undefined;
  reader.warnings.pop();
  return Object.fromEntries(capabilities.map((name: string) => [name, true]));
}

function interfacesOf(reader: CardReader): readonly JsonObject[] {
  const listed = reader.list('supportedInterfaces')?.filter(isJsonObject);
  if (listed !== undefined && listed.length > 0) return listed.filter((item) => typeof item.url === 'string');
  const url = reader.text('url');
  const protocolVersion = reader.text('protocolVersion', 'protocol_version');
  const version = protocolVersion === undefined ? {} : { protocolVersion };
  const first = { url, protocolBinding: reader.text('preferredTransport') ?? 'JSONRPC', ...version };
  const others = (reader.list('additionalInterfaces') ?? [])
    .filter(isJsonObject)
    .filter((item) => typeof item.url === 'string')
    .map((item) => ({ url: item.url, protocolBinding: item.transport ?? 'JSONRPC', ...version }))
    // Version 0.3 repeats the preferred interface among the additional ones.
    .filter((item) => item.url !== first.url || item.protocolBinding !== first.protocolBinding);
  return url === undefined ? others : [first, ...others];
}

function providerOf(reader: CardReader): string | undefined {
  const { provider } = reader.card;
  if (!isJsonObject(provider)) return reader.text('provider');
  return typeof provider.organization === 'string' ? provider.organization : undefined;
}

function skillsOf(reader: CardReader): readonly JsonObject[] {
  return (reader.list('skills') ?? []).flatMap((skill, at) => {
    const known = isJsonObject(skill) ? skill : {};
    const id = typeof known.id === 'string' ? known.id : '';
    const name = typeof known.name === 'string' && known.name.trim() !== '' ? known.name : id;
    if (name === '') {
      reader.warnings.push(`Skill ${at} of the card is ${showValue(skill)}: it has no name and was dropped.`);
      return [];
    }
    const inside = new CardReader(known);
    const fields = {
      id,
      name,
      description: inside.text('description') ?? '',
      tags: inside.texts('tags') ?? [],
      examples: inside.texts('examples') ?? [],
    };
    reader.warnings.push(...inside.warnings.map((text) => `Skill ${at}: ${text}`));
    return [fields];
  });
}
