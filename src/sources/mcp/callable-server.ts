import { createHash } from 'node:crypto';
import { canonicalJson } from '../../model/definitions.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { JsonObject } from '../../model/json/json-object.ts';
import type { ReadKeychain } from '../secrets/keychain.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { SourceLimits } from '../source.ts';
import { configuredServer } from './client-config.ts';
import type { McpConnection, OpenMcpServer } from './mcp-connection.ts';
import { type McpServerSpec, type PreparedServer, prepareServer } from './mcp-source.ts';

/** A registered server that can be connected to. */
export interface CallableServer {
  /** Equal for the same program or address with the same credentials. A digest: it tells neither. */
  readonly key: string;
  /** The command or the address, without secrets. */
  readonly title: string;
  /** Whether it gets variables, headers, a password or a sign-in of the user. */
  readonly usesCredentials: boolean;
  /** Whether it is at an address, and so may need a sign-in. */
  readonly url: string | undefined;
  /** Connects. Its owner closes it. Throws SOURCE_UNREACHABLE, and FORBIDDEN if it requires a sign-in. */
  open(signal: AbortSignal): Promise<OpenMcpServer>;
  /** Its tools, as they were compared when the server was added. */
  listTools(connection: McpConnection, signal: AbortSignal): Promise<readonly JsonObject[]>;
  /** Removes its secrets. */
  redactor(): Redactor;
}

export interface CallableOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly keychain?: ReadKeychain | undefined;
  readonly limits: SourceLimits;
  readonly version: string;
  readonly signInFolder?: string | undefined;
  /** The folder of its program, in place of that of the source. */
  readonly cwd?: string | undefined;
}

/** Where a server can be found: the locator of its source, or what was registered by hand. */
export type ServerPlace =
  | { readonly kind: 'mcp'; readonly spec: McpServerSpec }
  | { readonly kind: 'config'; readonly file: string; readonly part: string };

/** How long a program may take to exit when its input is closed, and again after SIGTERM. It may have work to save. */
const GRACE = { inputMs: 2000, termMs: 3000 };

/** Throws what a missing variable or a changed configuration file throws. */
export async function callableServer(place: ServerPlace, options: CallableOptions): Promise<CallableServer> {
  const { env, keychain, limits, version, signInFolder, cwd } = options;
  const configured =
    place.kind === 'mcp' ? { spec: place.spec } : await configuredServer(place.file, place.part, limits.maxBytes);
  const given = cwd === undefined ? configured.spec : { ...configured.spec, cwd };
  const subject = place.kind === 'mcp' ? 'The server' : `The server '${place.part}' of ${place.file}`;
  const prepared = await prepareServer(given, {
    env,
    ...(keychain === undefined ? {} : { keychain }),
    subject,
    ...('known' in configured ? { known: configured.known } : {}),
    ...(signInFolder === undefined ? {} : { signInFolder }),
  });
  const { shown, spec, signIn, usesCredentials, redactor } = prepared;
  // The start of a program may be silent. Whoever waits for it is told, and it goes on.
  const starting = spec.command === undefined ? limits : { ...limits, connectMs: limits.startMs };
  return {
    key: createHash('sha256')
      .update(canonicalJson([spec, signIn?.clientId ?? null]))
      .digest('hex'),
    title: titleOf(prepared),
    usesCredentials,
    url: shown.url,
    async open(signal) {
      const { openMcpServer } = await import('./mcp-connection.ts');
      try {
        return await openMcpServer(spec, {
          limits: starting,
          signal,
          version,
          signIn,
          child: { grace: GRACE, isGuarded: true },
        });
      } catch (thrown) {
        throw thrown instanceof DowserError ? redactor().error(thrown) : thrown;
      }
    },
    async listTools(connection, signal) {
      const { listTools } = await import('./list-server.ts');
      return redactor().json(await listTools(connection, signal));
    },
    redactor,
  };
}

const titleOf = ({ shown }: PreparedServer): string =>
  shown.url ?? [shown.command ?? '', ...(shown.args ?? [])].join(' ');
