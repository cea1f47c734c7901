import type { KeyStore } from '../../access/key-store.ts';
import { SCOPES, type Scope } from '../../model/caller/caller.ts';
import type { StoredKey } from '../../model/caller/stored-key.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { splitList } from '../../model/text/trim-chars.ts';
import { openKeys } from '../../open-keys.ts';
import { audited } from '../context/audit-command.ts';
import {
  type CommandModule,
  type CommandRun,
  print,
  runNamed,
  settingsFor,
  warn,
  wrongOption,
} from '../context/context.ts';
import { endOf } from '../context/time-span.ts';
import { oneLine } from '../terminal/text-width.ts';

/** Names are part of the names of owners and of records. */
const NAME = /^[\w.@-]{1,64}$/;
const MAX_GROUPS = 200;

function nameOf({ options, args }: CommandRun): string {
  const name = options.name ?? args[1];
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw wrongOption('name', name, 'a name of letters, digits and .@_-, at most 64');
}

const listOf = (text: unknown): readonly string[] => (typeof text === 'string' ? splitList(text) : []);

function scopesOf({ options }: CommandRun): readonly Scope[] {
  const given = listOf(options.scopes ?? 'read');
  const scopes = SCOPES.filter((scope) => given.includes(scope));
  if (given.length > 0 && scopes.length === new Set(given).size) return scopes;
  throw wrongOption('scopes', options.scopes, `some of ${SCOPES.join(', ')}`);
}

function groupsOf({ options }: CommandRun): readonly string[] {
  const groups = [...new Set(listOf(options.groups))];
  if (groups.length <= MAX_GROUPS) return groups;
  throw wrongOption('groups', `${groups.length} names`, `at most ${MAX_GROUPS} names`);
}

/** Null: the key may call the tools of every server. */
function serversOf({ options }: CommandRun): readonly string[] | null {
  return options.servers === undefined ? null : [...new Set(listOf(options.servers))];
}

async function create(run: CommandRun, keys: KeyStore): Promise<void> {
  const now = new Date();
  const expires = endOf('expires', String(run.options.expires ?? '90d'), now);
  const asked = { name: nameOf(run), groups: groupsOf(run), scopes: scopesOf(run), servers: serversOf(run) };
  const { key, stored } = await audited(run, 'key create', [`key:${asked.name}`], () =>
    keys.create({ ...asked, expiresAt: expires?.toISOString() ?? null }, now),
  );
  print(run, { key, ...stored }, () => {
    const { bold, dim } = run.out.style;
    return `${bold(key)}\n\n${dim(`This is the only time that the key is shown. ${lineOf(stored)}`)}\n`;
  });
}

async function revoke(run: CommandRun, keys: KeyStore): Promise<void> {
  const asked = run.args[1] ?? run.options.name;
  if (typeof asked !== 'string') {
    throw new DowserError('INVALID_REQUEST', 'Name the key to revoke.', { hint: 'dowser key revoke NAME' });
  }
  const revoked = await keys.revoke(asked, new Date());
  try {
    await audited(run, 'key revoke', [`key:${revoked.name}`], () => {});
  } catch (thrown) {
    // A full disk must not keep a stolen key alive.
    warn(run, `The key is revoked, but not in the audit log: ${toDowserError(thrown).message}`);
  }
  print(run, revoked, () => `Revoked the key ${oneLine(revoked.name)}. It is refused from now on.\n`);
}

function stateOf({ revoked_at, expires_at }: StoredKey, now: string): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  if (expires_at === null) return 'never expires';
  return expires_at <= now ? `expired ${expires_at}` : `expires ${expires_at}`;
}

function lineOf(key: StoredKey): string {
  const groups = key.groups.length === 0 ? 'no groups' : `groups ${key.groups.join(', ')}`;
  const servers = key.servers === null ? '' : `calls tools of ${key.servers.join(', ')}, `;
  return oneLine(
    `${key.name} (${key.id}): ${key.scopes.join(', ')}, ${groups}, ${servers}${stateOf(key, new Date().toISOString())}`,
  );
}

async function list(run: CommandRun, keys: KeyStore): Promise<void> {
  const all = await keys.list();
  print(run, { keys: all }, () => (all.length === 0 ? 'There are no keys.\n' : `${all.map(lineOf).join('\n')}\n`));
}

async function run(run: CommandRun): Promise<number> {
  const keys = await openKeys(settingsFor(run).settings);
  try {
    await runNamed(run, 'action', {
      list: () => list(run, keys),
      create: () => create(run, keys),
      revoke: () => revoke(run, keys),
    });
    return 0;
  } finally {
    await keys.close();
  }
}

export const command: CommandModule = { run };
