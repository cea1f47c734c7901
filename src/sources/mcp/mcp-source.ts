import { DowserError } from '../../model/errors/errors.ts';
import { type JsonObject, stated } from '../../model/json/json-object.ts';
import { toValueTemplate } from '../../model/text/value-template.ts';
import { parseAddress } from '../fetch/bounded-fetch.ts';
import { Redactor, type Secret } from '../secrets/redactor.ts';
import { fillIn, publicArguments, publicUrl, secretValue, toSecret } from '../secrets/secret-references.ts';
import type { Locator, Source, SourceContext, SourceItem } from '../source.ts';
import type { StoredSignIn } from './sign-in/stored-sign-in.ts';

/** How to reach a server, as the user wrote it: with references to the environment, or with secrets in plain text. */
export interface McpServerSpec {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly transport?: 'streamable-http' | 'sse';
  /** Overrides the server's own name. */
  readonly name?: string;
}

export interface ReadServer {
  readonly entity: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

export interface McpReadOptions extends SourceContext {
  readonly signal: AbortSignal;
  /** More variables for references, such as `workspaceFolder`. */
  readonly known?: Readonly<Record<string, string>>;
  /** The subject of error messages. */
  readonly subject: string;
}

/** The spec with references in place of secrets, and the secrets, which are used for this reading only. */
function toPublicSpec(spec: McpServerSpec): {
  readonly spec: McpServerSpec;
  readonly secrets: readonly Secret[];
} {
  const secrets: Secret[] = [];
  const hidden = (values: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const template = secretValue(name, value);
        secrets.push(...template.secrets);
        return [name, template.text];
      }),
    );
  const { command, url, cwd, transport, name } = spec;
  const args = publicArguments(spec.args ?? []);
  const shown = publicUrl(url ?? '');
  secrets.push(...args.secrets, ...shown.secrets);
  const own = command === undefined ? {} : { command, args: args.args, env: hidden(spec.env) };
  const remote = url === undefined ? {} : { url: shown.text, headers: hidden(spec.headers) };
  return { spec: { ...own, ...remote, ...stated({ cwd, transport, name }) }, secrets };
}

/** The spec with references filled in, and the values from the environment. */
async function toFilledSpec(
  spec: McpServerSpec,
  options: Pick<McpReadOptions, 'env' | 'keychain' | 'known' | 'subject'>,
): Promise<ReturnType<typeof toPublicSpec>> {
  const { env, keychain, known = {}, subject } = options;
  const secrets: Secret[] = [];
  const fill = (text: string): Promise<string> =>
    fillIn(text, { env, keychain, known, subject, onValue: (secret) => secrets.push(secret) });
  const fillSecrets = async (values: Readonly<Record<string, string>> = {}) => {
    const all: Record<string, string> = {};
    for (const [name, value] of Object.entries(values)) {
      const filled = await fill(value);
      const withoutScheme = filled.replace(/^(?:Bearer|Basic|Token)\s+/i, '');
      secrets.push(toSecret(name, filled), toSecret(name, withoutScheme));
      all[name] = filled;
    }
    return all;
  };
  const { command, cwd, transport } = spec;
  if (command !== undefined) {
    const args: string[] = [];
    for (const arg of spec.args ?? []) args.push(await fill(arg));
    secrets.push(...publicArguments(args).secrets);
    const place = cwd === undefined ? {} : { cwd: await fill(cwd) };
    const own = await fillSecrets(spec.env);
    return { spec: { command: await fill(command), args, env: own, ...place }, secrets };
  }
  const url = await fill(spec.url ?? '');
  secrets.push(...publicUrl(url).secrets);
  parseAddress(url);
  return { spec: { url, headers: await fillSecrets(spec.headers), ...stated({ transport }) }, secrets };
}

/** A server with its references filled in, ready to be connected to. */
export interface PreparedServer {
  /** With references in place of secrets. */
  readonly shown: McpServerSpec;
  readonly spec: McpServerSpec;
  readonly signIn: StoredSignIn | undefined;
  /** Whether it gets variables, headers, a password or a sign-in of the user. */
  readonly usesCredentials: boolean;
  /** Removes its secrets, with the tokens that it has had so far. */
  redactor(): Redactor;
}

/** Throws INVALID_SETTING for a reference to a variable that is not set. */
export async function prepareServer(
  given: McpServerSpec,
  options: Pick<McpReadOptions, 'env' | 'keychain' | 'known' | 'subject' | 'signInFolder'>,
): Promise<PreparedServer> {
  const shown = toPublicSpec(given);
  const { spec, secrets } = await toFilledSpec(given, options);
  const signIn = await signInFor(spec, options.signInFolder);
  const all = [...shown.secrets, ...secrets];
  const tokens = () => (signIn?.secrets ?? []).map((value) => ({ value, isNamed: true }));
  return {
    shown: shown.spec,
    spec,
    signIn,
    usesCredentials: all.length > 0 || signIn !== undefined,
    redactor: () => new Redactor([...all, ...tokens()]),
  };
}

/** Connects to one server and reads its tools, prompts and resources. Results and errors contain no secret. */
export async function readMcpServer(given: McpServerSpec, options: McpReadOptions): Promise<ReadServer> {
  const { shown, spec, signIn, redactor } = await prepareServer(given, options);
  const { withMcpServer } = await import('./mcp-connection.ts');
  const { listServer } = await import('./list-server.ts');
  const { limits, signal, version, subject } = options;
  const onNotice = (notice: string) => options.onNotice?.(subject, notice);
  try {
    const { entity, warnings } = await withMcpServer(
      spec,
      { limits, signal, version, onNotice, signIn },
      (connection, until) => listServer(connection, given.name, { signal: until, listMs: limits.listMs }),
    );
    const clean = redactor();
    return { entity: withPlace(clean.json(entity), shown), warnings: clean.json(warnings) };
  } catch (thrown) {
    throw thrown instanceof DowserError ? redactor().error(thrown) : thrown;
  }
}

/** A header or a password of the user counts more than a sign-in. */
async function signInFor({ url, headers = {} }: McpServerSpec, folder: string | undefined) {
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  if (url === undefined || folder === undefined || hasHeader || new URL(url).username !== '') return undefined;
  const { SignInFile } = await import('./sign-in/sign-in-file.ts');
  const file = new SignInFile(folder);
  if (file.get(url)?.tokens === undefined) return undefined;
  const { StoredSignIn } = await import('./sign-in/stored-sign-in.ts');
  return new StoredSignIn(file, url);
}

function withPlace(entity: JsonObject, spec: McpServerSpec): JsonObject {
  const [transport] = entity.supported_transports as readonly string[];
  const remote = describedRemote(spec, transport);
  const metadata = remote === undefined ? {} : { metadata: { ...(entity.metadata as JsonObject), remotes: [remote] } };
  return { ...entity, ...placeOf(spec), ...metadata };
}

function placeOf({ command, args, env, cwd, url }: McpServerSpec): Readonly<Record<string, unknown>> {
  if (url !== undefined) {
    return { deployment: 'remote', mcp_endpoint: url, url };
  }
  return {
    deployment: 'local',
    local_runtime: {
      ...runtimeOf(command ?? '', args ?? []),
      env: Object.keys(env ?? {}),
      ...(cwd === undefined ? {} : { cwd }),
    },
  };
}

/** Programs that download and run a package. */
const RUNNERS: readonly string[] = ['npx', 'bunx', 'uvx', 'pipx'];

/** `npx -y some-server dir` -> the package `some-server` and its arguments. */
function runtimeOf(command: string, args: readonly string[]): Readonly<Record<string, unknown>> {
  const type =
    command
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.(?:cmd|exe)$/i, '') ?? '';
  const words = args[0] === 'run' && type === 'pipx' ? args.slice(1) : args;
  const at = words.findIndex((word) => !word.startsWith('-'));
  if (!RUNNERS.includes(type) || at === -1) return { command, args };
  const [, name = '', version] = /^(.[^@]*)(?:@(.+))?$/.exec(words[at]!) ?? [];
  return { type, package: name, ...(version === undefined ? {} : { version }), args: words.slice(at + 1) };
}

/** A live MCP server, from its command or address. */
export function mcpServerSource(spec: McpServerSpec, context: SourceContext): Source {
  const shown = toPublicSpec(spec).spec;
  const title = shown.url ?? [shown.command, ...(shown.args ?? [])].join(' ');
  return {
    kind: 'mcp',
    locator: shown as Locator,
    title,
    live: true,
    directory: false,
    async *read(signal): AsyncGenerator<SourceItem> {
      yield { part: '', ...(await readMcpServer(spec, { ...context, signal, subject: `The server '${title}'` })) };
    },
  };
}

/**
 * A remote server that was read with headers, in the format of `server.json`: an installation needs the same headers. The
 * values are references, never the secrets. Undefined without headers.
 */
function describedRemote({ url, headers = {} }: McpServerSpec, transport: unknown): JsonObject | undefined {
  const given = Object.entries(headers);
  if (url === undefined || given.length === 0) return undefined;
  const { text, variables } = toValueTemplate(url);
  return {
    type: transport,
    url: text,
    ...(variables === undefined ? {} : { variables }),
    headers: given.map(([name, value]) => describedHeader(name, value)),
  };
}

function describedHeader(name: string, value: string): JsonObject {
  const header = { name, isRequired: true, isSecret: true };
  const { text, variables } = toValueTemplate(value);
  // The value is the variable alone, so that the header stands for itself.
  if (variables === undefined || /^\{[^{}]*\}$/.test(text)) return header;
  return { ...header, value: text, variables };
}
