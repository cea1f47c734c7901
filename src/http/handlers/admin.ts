import { type KeyStore, serverPath } from '../../access/key-store.ts';
import type { Access } from '../../access/open-access.ts';
import type { Handlers } from '../../api/contract.ts';
import type { adminOperations } from '../../api/operations/admin-operations.ts';
import { type LoadedSettings, SETTINGS } from '../../config.ts';
import type { Caller } from '../../model/caller/caller.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Activity } from '../metrics/activity.ts';

const DAY_MS = 86_400_000;

interface KnownSettings {
  readonly settings: LoadedSettings['settings'];
  /** Undefined: the program that started the server does not say. */
  readonly origins: LoadedSettings['origins'] | undefined;
}

export interface AdminParts {
  readonly caller: Caller;
  /** What the server did lately. Default: it does not look. */
  readonly activity?: Pick<Activity, 'report'> | undefined;
  /** The settings, and where each came from. Default: they are not shown. */
  readonly loaded?: KnownSettings | undefined;
  /** Opens the keys, which the caller closes. Default: this server takes none. */
  readonly openKeys?: (() => KeyStore | Promise<KeyStore>) | undefined;
  readonly access?: Pick<Access, 'trail'> | undefined;
}

/** For those who run the server. */
export function adminHandlers(parts: AdminParts): Pick<Handlers, keyof typeof adminOperations> {
  const { caller, activity, loaded, openKeys, access } = parts;
  const withKeys = async <T>(work: (keys: KeyStore) => Promise<T>): Promise<T> => {
    if (openKeys === undefined) {
      throw new DowserError('NOT_IMPLEMENTED', 'This server takes no keys: it does not ask for credentials.', {
        hint: 'Start it with --auth.',
      });
    }
    const keys = await openKeys();
    try {
      return await work(keys);
    } finally {
      await keys.close();
    }
  };
  return {
    async getActivity() {
      if (activity === undefined) throw notShown('its activity');
      const { minutes, unanswered } = activity.report();
      return { status: 200, body: { minutes: [...minutes], unanswered: unanswered && [...unanswered] } };
    },
    async listSettings() {
      if (loaded === undefined) throw notShown('its settings');
      return { status: 200, body: { settings: settingRows(loaded) } };
    },
    listKeys: () => withKeys(async (keys) => ({ status: 200, body: { keys: (await keys.list()).map(toKey) } })),
    createKey: ({ body: { name, groups, scopes, servers, expires_in_days: days } }) =>
      withKeys(async (keys) => {
        const now = new Date();
        const expiresAt = days === null ? null : new Date(now.getTime() + days * DAY_MS).toISOString();
        const asked = { name, groups: [...new Set(groups)], scopes: [...new Set(scopes)], expiresAt };
        const allowed = serversFor(caller, servers);
        access?.trail?.touches([`key:${name}`]);
        const { key, stored } = await keys.create({ ...asked, servers: allowed }, now);
        return { status: 201, body: { ...toKey(stored), key } };
      }),
    revokeKey: ({ params: { id } }) =>
      withKeys(async (keys) => {
        const revoked = await keys.revoke(id, new Date());
        try {
          access?.trail?.touches([`key:${revoked.name}`]);
        } catch {
          // A full disk must not keep a stolen key alive.
        }
        return { status: 200, body: toKey(revoked) };
      }),
  };
}

const notShown = (what: string) => new DowserError('NOT_IMPLEMENTED', `This server does not show ${what}.`);

type Key = Awaited<ReturnType<KeyStore['list']>>[number];

function toKey({ id, name, groups, scopes, servers, created_at, expires_at, revoked_at }: Key) {
  const limits = { groups: [...groups], scopes: [...scopes], servers: servers === null ? null : [...servers] };
  return { id, name, ...limits, created_at, expires_at, revoked_at };
}

/** A caller that may call some servers only hands on no more than these. */
function serversFor({ servers: own }: Caller, asked: readonly string[] | null): readonly string[] | null {
  if (own === undefined) return asked;
  const beyond = (asked ?? []).find((path) => !own.includes(serverPath(path)));
  if (beyond === undefined) return asked ?? own;
  throw new DowserError('FORBIDDEN', `You may not call the tools of ${beyond}, so a key of yours may not either.`, {
    field: 'servers',
    hint: `Choose among ${own.join(', ')}.`,
  });
}

function settingRows({ settings, origins }: KnownSettings) {
  return SETTINGS.map(({ name, secret, meaning }) => {
    const value = settings[name] ?? null;
    const isSet = value !== null;
    const shown = secret || !isSet ? null : withoutPasswords(value);
    return { name, value: shown, is_set: isSet, secret, origin: origins?.[name] ?? 'not known', meaning };
  });
}

/** What the names of secrets in addresses have in them, such as `api-key`, `sig` and `access_token`. */
const SECRET_NAME = /key|token|secret|passw|sig|auth|code/i;
const HIDDEN = '***';

/** An address may have a user and a password, or a token in place of both, or in its query. */
function withoutPasswords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPasswords);
  if (typeof value !== 'string' || !URL.canParse(value)) return value;
  const url = new URL(value);
  const secrets = [...url.searchParams.keys()].filter((name) => SECRET_NAME.test(name));
  if (url.username === '' && url.password === '' && secrets.length === 0) return value;
  if (url.password !== '') url.password = HIDDEN;
  else if (url.username !== '') url.username = HIDDEN;
  for (const name of secrets) url.searchParams.set(name, HIDDEN);
  return url.href;
}
