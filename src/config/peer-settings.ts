// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is explained.
import { z } from 'zod';
import type { SettingDefinitions } from './setting-definition.ts';
import { address, oneOf, whole, word } from './setting-values.ts';

const MAX_PEERS = 5;

/** The whole of it, so that no part of a token is in a file, in a list of settings or in an error. */
const REFERENCE = /^\$\{(?:(?:env|keychain):)?[\w.-]{1,128}\}$/;

const peer = z.strictObject({
  name: z
    .string('of a peer must be text')
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "of a peer must have 1 to 32 of a-z, 0-9 and '-'"),
  url: address.refine(
    (url) => new URL(url).username === '' && new URL(url).password === '' && !/[?#]/.test(url),
    'of a peer must have no user, password or parameters: use `token`',
  ),
  kind: oneOf(['dowser', 'registry', 'ard']),
  token: z
    .string()
    .regex(REFERENCE, 'of a peer must be a reference such as ${ACME_KEY}, never the token itself')
    .optional(),
  groups: z.array(word).max(100).readonly().optional(),
});

const peers = z.preprocess(
  (value) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  },
  z
    .array(peer, 'must be a list, or a list as JSON')
    .max(MAX_PEERS, `must have at most ${MAX_PEERS} peers`)
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'has two peers with the same name')
    .readonly(),
);

/** Other registries that searches may ask. */
export const PEER_SETTINGS = {
  peers: {
    schema: peers.default([]),
    env: ['DOWSER_PEERS'],
    shown: 'none',
    meaning:
      'Up to five other registries that a search can [ask too](peers.md), as a list of objects with `name`, `url`, `kind` (`dowser`, `registry` or `ard`) and, where needed, `token` (a reference such as `${ACME_KEY}`) and `groups` (the callers that may have it asked). In the environment, as JSON. Each search that asks them sends them its query.',
    secret: true,
  },
  peer_search: {
    schema: oneOf(['asked', 'always']).default('asked'),
    env: ['DOWSER_PEER_SEARCH'],
    meaning:
      'Whether searches of the page, REST, MCP and the command line ask the peers only if the request says so (`asked`), or unless it says not to (`always`).',
  },
  peer_timeout_ms: {
    schema: whole(10, 10_000).default(300),
    env: ['DOWSER_PEER_TIMEOUT_MS'],
    meaning:
      'The time of a search for the answers of its peers and for embedding their texts, in milliseconds. What they answer later is not used.',
  },
} as const satisfies SettingDefinitions;
