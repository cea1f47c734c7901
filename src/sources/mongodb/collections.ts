import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';

/** The collections that are read, by the name that they have before their namespace. */
export const READ_COLLECTIONS = ['mcp_servers', 'mcp_agents', 'agent_skills', 'virtual_servers', 'mcp_scopes'] as const;
export type ReadCollection = (typeof READ_COLLECTIONS)[number];
export type EntityCollection = Exclude<ReadCollection, 'mcp_scopes'>;

/** Collections that name other registries. Only their addresses are read. */
export const PEER_COLLECTIONS = ['mcp_federation_config', 'mcp_peers'] as const;

const SIGN_INS = 'Sign-ins, tokens and sessions are never read.';
const NOT_READ: Readonly<Record<string, string>> = {
  mcp_embeddings: 'Vectors are computed again: Dowser has one for each tool and section.',
  mcp_security_scans: 'Dowser does not show scan results.',
  mcp_skill_security_scans: 'Dowser does not show scan results.',
  mcp_custom_types: 'Dowser has no custom types. Add such records as documents.',
  mcp_custom_entities: 'Dowser has no custom types. Add such records as documents.',
  mcp_federation_config: 'Connections are not moved. Add the registries that it names as sources.',
  mcp_peers: 'Connections are not moved. Add the registries that it names as sources.',
  mcp_peer_sync_state: 'Connections are not moved.',
  oauth_sessions: SIGN_INS,
  client_sessions: SIGN_INS,
  backend_sessions: SIGN_INS,
  mcp_egress_operational: SIGN_INS,
  audit_events: 'Dowser keeps an audit log of its own.',
};
const UNKNOWN = 'It is not a collection of the registry that Dowser knows.';

/** A collection by its name in the database: `mcp_servers_default`. */
export interface NamedCollection {
  readonly name: string;
  /** `mcp_servers`. The whole name if it is unknown. */
  readonly base: string;
  /** `default`, or '' without one. */
  readonly namespace: string;
  /** Why it is not moved; null for one that is. */
  readonly why: string | null;
}

const BASES = [...READ_COLLECTIONS, ...Object.keys(NOT_READ)].sort((a, b) => b.length - a.length);

export function namedCollection(name: string): NamedCollection {
  const base = BASES.find((known) => name === known || name.startsWith(`${known}_`));
  if (base === undefined) return { name, base: name, namespace: '', why: UNKNOWN };
  const isRead = (READ_COLLECTIONS as readonly string[]).includes(base);
  // `mcp_embeddings_384_default`: the dimension is part of the name.
  const namespace = name.slice(base.length + 1).replace(/^\d+_/, '');
  return { name, base, namespace, why: isRead ? null : NOT_READ[base]! };
}

/** The namespace to read: the one that is named, or the only one. */
export function chooseNamespace(collections: readonly NamedCollection[], wanted: string | undefined): string {
  const found = [...new Set(collections.filter(({ why }) => why === null).map(({ namespace }) => namespace))];
  const [only] = found;
  if (only === undefined) {
    throw new DowserError('NOT_FOUND', 'There is no collection of an MCP gateway registry.', {
      hint: `It needs at least one of ${READ_COLLECTIONS.map((base) => `${base}_default`).join(', ')}.`,
    });
  }
  if (wanted === undefined && found.length === 1) return only;
  if (wanted !== undefined && found.includes(wanted)) return wanted;
  const what = wanted === undefined ? 'several namespaces' : `no namespace ${showValue(wanted)}`;
  throw new DowserError('INVALID_REQUEST', `The database has ${what}.`, {
    field: 'namespace',
    hint: `Choose one with --namespace: ${found.map((name) => (name === '' ? "''" : name)).join(', ')}.`,
  });
}
