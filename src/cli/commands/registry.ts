import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { readTextFile } from '../../sources/fetch/read-document.ts';
import { parseJsonWithComments } from '../../sources/formats/json-with-comments.ts';
import { readClientConfig } from '../../sources/mcp/client-config.ts';
import {
  type CheckedServer,
  checkInstalled,
  type InstalledServer,
  type InstalledState,
  type RegisteredServer,
  toRegistered,
} from '../../standards/official/client-check.ts';
import { namespaceOf, officialNameOf } from '../../standards/official/official-name.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print, runNamed, settingsFor } from '../context/context.ts';
import { getWanted } from '../context/named-entity.ts';
import { readRegistry } from '../sources/read-registry.ts';
import { formatThings } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

const CHECK = 'dowser registry check <client config>';
const NAME = 'dowser registry name <entity> [name]';

function run(run: CommandRun): Promise<number> {
  const [, first, second, ...more] = run.args;
  const refuse = (usage: string) =>
    new DowserError('INVALID_REQUEST', first === undefined ? 'An argument is missing.' : 'Too many arguments.', {
      hint: usage,
    });
  return runNamed(run, 'registry action', {
    check: () => {
      if (first === undefined || second !== undefined) throw refuse(CHECK);
      return check(run, first);
    },
    name: () => {
      if (first === undefined || more.length > 0) throw refuse(NAME);
      return name(run, first, second);
    },
  });
}

/** The servers of a client's configuration that are not switched off. */
export function installedIn(text: string, file: string): readonly InstalledServer[] {
  return readClientConfig(parseJsonWithComments(text, file)).flatMap((server): InstalledServer[] => {
    if ('skipped' in server) return [];
    return [{ name: server.name, ...('spec' in server ? { url: server.spec.url, args: server.spec.args } : {}) }];
  });
}

/** Exits with 1 if an editor would block a server. */
async function check(run: CommandRun, file: string): Promise<number> {
  const { settings } = settingsFor(run);
  const text = await readTextFile(file, settings.source_max_bytes);
  const installed = installedIn(text, file);
  const { url } = run.options;
  const registered = await (typeof url === 'string' ? readRegistry(run, url) : registeredServers(run));
  const { blocked, servers } = checkInstalled(installed, registered);
  print(run, { blocked, servers }, () => {
    const title = `${formatThings(servers.length, 'server')}, ${blocked} would be blocked`;
    return `${[run.out.style.dim(title), ...servers.map(toLine)].join('\n')}\n`;
  });
  return blocked === 0 ? 0 : 1;
}

function registeredServers(run: CommandRun): Promise<readonly RegisteredServer[]> {
  const namespace = namespaceOf(settingsFor(run).settings.public_url);
  return withBackend(run, { reads: true, missing: 'warn' }, async (backend) => {
    const servers: McpServer[] = [];
    for await (const { entity } of backend.all(['mcp_server'])) servers.push(entity as McpServer);
    return toRegistered(servers, namespace);
  });
}

const REASONS: Readonly<Record<InstalledState, string>> = {
  allowed: 'allowed',
  hidden: 'blocked: registered, but private, disabled or a draft',
  other_name: 'blocked: registered under another name',
  unknown: 'blocked: not registered',
};

function toLine({ name, state, registered }: CheckedServer): string {
  const where = registered === undefined || state === 'allowed' ? '' : `(${registered.name}, ${registered.path})`;
  return `${oneLine(name)}  ${REASONS[state]} ${oneLine(where)}`.trimEnd();
}

/** Sets the official name of an entity, or shows it. */
function name(run: CommandRun, wanted: string, given: string | undefined): Promise<number> {
  const namespace = namespaceOf(settingsFor(run).settings.public_url);
  return withBackend(run, { reads: given === undefined, missing: 'refuse' }, async (backend) => {
    const { entity } = await getWanted(backend, [wanted]);
    const { type, path } = entity;
    if (given !== undefined) await backend.patch(type, path, { official_name: given });
    const official_name = given ?? officialNameOf(entity, namespace);
    print(run, { entity_type: type, path, official_name }, () => `${official_name}\n`);
    return 0;
  });
}

export const command: CommandModule = { run };
