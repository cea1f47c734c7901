import type { McpServer } from '../../model/entity.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { isFirst } from '../text/is-first.ts';

export type ServerPackage = Record<string, unknown>;

/** The runtime of a package, and its package registry. */
const REGISTRIES: Readonly<Record<string, string>> = {
  npx: 'npm',
  npm: 'npm',
  bunx: 'npm',
  uvx: 'pypi',
  pipx: 'pypi',
  pypi: 'pypi',
  docker: 'oci',
  podman: 'oci',
  oci: 'oci',
  dnx: 'nuget',
  nuget: 'nuget',
  cargo: 'cargo',
  mcpb: 'mcpb',
};
const RUNNERS = new Set(['npx', 'bunx', 'uvx', 'pipx', 'docker', 'podman', 'dnx']);
const PACKAGE_TYPES = new Set(Object.values(REGISTRIES));

const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);
const textsOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** How to run a server locally: its published `packages` as they came, after a `local_runtime` that they do not name. */
export function packagesOf({ local_runtime, metadata }: McpServer): readonly ServerPackage[] {
  const own = local_runtime === undefined ? undefined : packageOf(local_runtime);
  const described = (Array.isArray(metadata.packages) ? metadata.packages : []).filter(isPackage).map(withValidVersion);
  const isDescribed = described.some(
    ({ registryType, identifier }) => registryType === own?.registryType && identifier === own?.identifier,
  );
  return (own === undefined || isDescribed ? described : [own, ...described]).filter(isFirst());
}

function packageOf(runtime: Record<string, unknown>): ServerPackage | undefined {
  const type = textOf(runtime.type)?.toLowerCase() ?? '';
  const registryType = Object.hasOwn(REGISTRIES, type) ? REGISTRIES[type] : undefined;
  const identifier = textOf(runtime.package) ?? textOf(runtime.image);
  // A bundle needs a checksum, which a runtime does not have.
  if (registryType === undefined || registryType === 'mcpb' || identifier === undefined) return undefined;
  const { version } = withValidVersion({ version: runtime.version });
  const args = textsOf(runtime.args).map((value) => ({ type: 'positional', value }));
  const variables = environmentOf(runtime);
  return {
    registryType,
    identifier,
    ...(version === undefined ? {} : { version }),
    ...(RUNNERS.has(type) ? { runtimeHint: type } : {}),
    transport: { type: 'stdio' },
    ...(args.length === 0 ? {} : { packageArguments: args }),
    ...(variables.length === 0 ? {} : { environmentVariables: variables }),
  };
}

/** Names only: a value may be a secret. */
function environmentOf({ env, required_env }: Record<string, unknown>): readonly ServerPackage[] {
  const required = textsOf(required_env);
  const names = [...new Set([...(isJsonObject(env) ? Object.keys(env) : textsOf(env)), ...required])];
  return names.map((name) => ({ name, ...(required.includes(name) ? { isRequired: true } : {}) }));
}

/**
 * The schema wants an exact version or none, and refuses `latest`. The version of the server does not stand in for a missing one: an
 * editor would install a version of the package that may not exist, while without one it takes the newest. A client that reads
 * packages with versions only, such as `anthropic-list` of the registry, needs the version in the entity.
 */
function withValidVersion(given: ServerPackage): ServerPackage {
  const { version, ...rest } = given;
  const said = textOf(version);
  return said === undefined || said === 'latest' ? rest : said === version ? given : { ...given, version: said };
}

function isPackage(value: unknown): value is ServerPackage {
  if (!isJsonObject(value) || !isJsonObject(value.transport) || textOf(value.transport.type) === undefined)
    return false;
  if (value.registryType === 'mcpb' && textOf(value.fileSha256) === undefined) return false;
  return PACKAGE_TYPES.has(String(value.registryType)) && textOf(value.identifier) !== undefined;
}
