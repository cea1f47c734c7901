import { z } from 'zod';
import { SCOPES, type Scope } from '../model/caller/caller.ts';
import type { SettingDefinitions } from './setting-definition.ts';
import { onOff, whole, word, words } from './setting-values.ts';

/** Signatures that only the issuer can make. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const DEFAULT_AUDIT_BYTES = 16 * 1024 * 1024;

const issuer = word.refine(
  (text) => URL.canParse(text) && isSafeUrl(new URL(text)),
  'must be an https address (http only on this machine)',
);

function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
}

const algorithms = words.refine(
  (given) => given.length > 0 && given.every((one) => ALGORITHMS.includes(one)),
  `must be some of ${ALGORITHMS.join(', ')}`,
);

const scopeList = z.array(z.enum(SCOPES), `must be scopes: ${SCOPES.join(', ')}`);

/** `payments=read+write,platform=admin`, or an object of lists. */
const groupScopes = z.preprocess(
  (value) => (typeof value === 'string' ? toGroups(value) : value),
  z.record(
    z.string().min(1),
    scopeList,
    'must be groups with their scopes, such as payments=read+write,platform=admin',
  ),
);

function toGroups(text: string): Record<string, unknown> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=');
      const scopes = pair.slice(at + 1).split('+');
      return [pair.slice(0, Math.max(at, 0)).trim(), scopes.map((scope) => scope.trim() as Scope)];
    }),
  );
}

/** Who may ask the server. */
export const ACCESS_SETTINGS = {
  auth: {
    schema: onOff.optional(),
    env: ['DOWSER_AUTH'],
    flag: '--auth',
    shown: 'on, if other machines can reach the server',
    meaning:
      'Whether requests need credentials: see [access](access.md). When it is off, every program on this machine may read and write. If other machines can reach the server, it can only be off with `open_access`.',
  },
  open_access: {
    schema: onOff.default(false),
    env: ['DOWSER_OPEN_ACCESS'],
    flag: '--open',
    meaning:
      'Allow reads without credentials from everyone who can reach the server over the network. Writes need `allow_remote_writes` too.',
  },
  anonymous_read: {
    schema: onOff.default(false),
    env: ['DOWSER_ANONYMOUS_READ'],
    meaning: 'With `auth`, let callers without credentials read public entities.',
  },
  group_scopes: {
    schema: groupScopes.optional(),
    env: ['DOWSER_GROUP_SCOPES'],
    shown: 'none: the scopes of the token',
    meaning:
      'What the groups of a token may do, as text such as `payments=read+write,platform=admin`. In `config.json`, an object with a list of scopes for each group.',
  },
  oidc_issuer: {
    schema: issuer.optional(),
    env: ['DOWSER_OIDC_ISSUER'],
    shown: 'none: only API keys',
    meaning: 'The OpenID Connect issuer whose access tokens are accepted, exactly as in the `iss` claim.',
  },
  oidc_audience: {
    schema: words.default([]),
    env: ['DOWSER_OIDC_AUDIENCE'],
    shown: '`public_url` and its MCP addresses',
    meaning: 'The audiences of accepted tokens. One of them must be in the `aud` claim.',
  },
  oidc_user_claim: {
    schema: word.default('sub'),
    env: ['DOWSER_OIDC_USER_CLAIM'],
    meaning: 'The claim that names the user. Choose one that never changes and is never given to another user.',
  },
  oidc_groups_claim: {
    schema: word.default('groups'),
    env: ['DOWSER_OIDC_GROUPS_CLAIM'],
    meaning: 'The claim with the groups of the user. A path such as `realm_access.roles` names a claim inside another.',
  },
  oidc_algorithms: {
    schema: algorithms.default(DEFAULT_ALGORITHMS),
    env: ['DOWSER_OIDC_ALGORITHMS'],
    shown: `\`${DEFAULT_ALGORITHMS.join(',')}\``,
    meaning:
      'The accepted signature algorithms of tokens. `none` and algorithms with a shared secret (`HS256`) are never accepted.',
  },
  oidc_clock_skew: {
    schema: whole(0, 600).default(60),
    env: ['DOWSER_OIDC_CLOCK_SKEW'],
    meaning: 'How far the clocks of the issuer and of this machine may differ, in seconds.',
  },
  oidc_web_client_id: {
    schema: word.optional(),
    env: ['DOWSER_OIDC_WEB_CLIENT_ID'],
    shown: 'none: only API keys and tokens',
    meaning:
      'The public client of the issuer for the web page: people then [sign in](access.md#sign-in-on-the-web-page) with their account.',
  },
  oidc_web_scopes: {
    schema: words.default(['openid']),
    env: ['DOWSER_OIDC_WEB_SCOPES'],
    shown: '`openid`',
    meaning: 'The scopes that the web page asks the issuer for, separated by commas. `openid` is always one of them.',
  },
  oidc_web_resource: {
    schema: word.optional(),
    env: ['DOWSER_OIDC_WEB_RESOURCE'],
    shown: 'none: the issuer decides by the client and the scopes',
    meaning:
      'The `resource` (RFC 8707) that the web page asks a token for. Only for issuers that need it to set the audience.',
  },
  audit: {
    schema: onOff.optional(),
    env: ['DOWSER_AUDIT'],
    shown: 'on, if `auth` is on and `engine` keeps files',
    meaning: 'Whether to record writes and refusals in the [audit log](access.md#audit-log) of the data folder.',
  },
  audit_max_bytes: {
    schema: whole(4096, 1024 * 1024 * 1024).default(DEFAULT_AUDIT_BYTES),
    env: ['DOWSER_AUDIT_MAX_BYTES'],
    shown: `\`${DEFAULT_AUDIT_BYTES}\` (16 MiB)`,
    meaning: 'The maximum size of one file of the audit log, in bytes. When it is full, a new file begins.',
  },
  audit_keep_files: {
    schema: whole(1, 10_000).default(64),
    env: ['DOWSER_AUDIT_KEEP_FILES'],
    meaning: 'How many full files of the audit log to keep. The oldest are deleted.',
  },
} as const satisfies SettingDefinitions;
