import type { McpServer } from '../model/entity.ts';
import { isJsonObject } from '../model/json/json-object.ts';
import { toConnectConfig } from './gateway/connect-config.ts';
import { packagesOf, type ServerPackage } from './official/server-packages.ts';
import { remotesOf } from './official/server-remotes.ts';

/** How a client starts or reaches a server. `${NAME}` in a text stands for a variable of the user's environment. */
export type ServerStart =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** Variables of the program with their values. */
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly transport: 'http' | 'sse'; readonly headers: Readonly<Record<string, string>> };

const REFERENCE = /\$\{(?:(?:env|input|keychain):)?([\w.-]+)(?::-[^{}]*)?\}/g;

/** `${input:github-token}` and `${env:GITHUB_TOKEN}` as `${GITHUB_TOKEN}`, if `form` writes it so. */
export const withReferences = (text: string, form: (name: string) => string): string =>
  text.replaceAll(REFERENCE, (_, name: string) => form(variableOf(name)));

/** The variables that a text refers to. */
export const referencesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(REFERENCE), ([, name]) => variableOf(name!));

const variableOf = (name: string): string => name.replaceAll(/[^A-Za-z\d_]/g, '_').toUpperCase();

/** Undefined if nobody said how to start or reach it. Hosted servers need no program, so their address comes first. */
export function startOf(server: McpServer): ServerStart | undefined {
  const [remote] = remotesOf(server);
  if (remote !== undefined) {
    const headers = Object.fromEntries([...publishedHeaders(remote.headers), ...headersOfScheme(server)]);
    const url = remote.url.replaceAll(/\{([\w.-]+)\}/g, (_, name: string) => `\${${variableOf(name)}}`);
    return { url, transport: remote.type === 'sse' ? 'sse' : 'http', headers };
  }
  const [known] = Object.values(toConnectConfig(server).mcpServers);
  if (known !== undefined && 'command' in known) {
    const { command, args, env = {} } = known;
    return { command, args, env };
  }
  for (const one of packagesOf(server)) {
    const start = startOfPackage(one);
    if (start !== undefined) return start;
  }
  return undefined;
}

/** Values are references: those of a header are keys more often than not. */
function publishedHeaders(headers: unknown): readonly (readonly [string, string])[] {
  if (!Array.isArray(headers)) return [];
  return headers.filter(isJsonObject).flatMap(({ name, value }) => {
    if (typeof name !== 'string' || !/^[\w-]+$/.test(name)) return [];
    const text = typeof value === 'string' && /\{[\w.-]+\}/.test(value) ? value : `{${name}}`;
    return [
      [name, text.replaceAll(/\$?\{([\w.-]+)\}/g, (_, variable: string) => `\${${variableOf(variable)}}`)] as const,
    ];
  });
}

function headersOfScheme({ auth_scheme, name }: McpServer): readonly (readonly [string, string])[] {
  const variable = variableOf(name.replaceAll(/[^A-Za-z\d]+/g, '_'));
  if (auth_scheme === 'bearer') return [['Authorization', `Bearer \${${variable}_TOKEN}`]];
  return auth_scheme === 'api_key' ? [['X-API-Key', `\${${variable}_API_KEY}`]] : [];
}

function startOfPackage(one: ServerPackage): ServerStart | undefined {
  const { registryType, identifier, version } = one as Readonly<Record<string, unknown>>;
  if (typeof identifier !== 'string') return undefined;
  const args = argumentsOf(one.packageArguments);
  const names = namesOf(one.environmentVariables);
  const env = Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
  const at = typeof version === 'string' ? `@${version}` : '';
  if (registryType === 'npm') return { command: 'npx', args: ['-y', `${identifier}${at}`, ...args], env };
  if (registryType === 'pypi') return { command: 'uvx', args: [`${identifier}${at}`, ...args], env };
  if (registryType === 'nuget') return { command: 'dnx', args: [`${identifier}${at}`, '--yes', ...args], env };
  if (registryType !== 'oci') return undefined;
  const image =
    typeof version === 'string' && !/[:@]/.test(identifier.slice(identifier.lastIndexOf('/') + 1))
      ? `${identifier}:${version}`
      : identifier;
  const passed = names.flatMap((name) => ['-e', name]);
  return { command: 'docker', args: ['run', '-i', '--rm', ...passed, image, ...args], env };
}

const namesOf = (variables: unknown): readonly string[] =>
  (Array.isArray(variables) ? variables : [])
    .filter(isJsonObject)
    .flatMap(({ name }) => (typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name) ? [name] : []));

/** Positional and named arguments that have a value. One without is for the user to add. */
const argumentsOf = (given: unknown): readonly string[] =>
  (Array.isArray(given) ? given : []).filter(isJsonObject).flatMap(({ type, name, value, default: fallback }) => {
    const text = [value, fallback].find((one) => typeof one === 'string') as string | undefined;
    if (type === 'named' && typeof name === 'string') return text === undefined ? [] : [name, text];
    return text === undefined ? [] : [text];
  });
