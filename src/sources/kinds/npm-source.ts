import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject, stated } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { Source, SourceContext, SourceItem } from '../source.ts';

/** `npm:left-pad` and `npm:@scope/name`. Nothing else reaches the command line of npm. */
const NAME = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i;

export const isNpmName = (what: string): boolean => what.startsWith('npm:');

/** A package of npm, with its own facts, read by the user's npm client: it has the registry, the proxy and the keys. */
export function npmSource(name: string, context: SourceContext): Source {
  if (!NAME.test(name)) {
    throw new DowserError('INVALID_REQUEST', `${showValue(name)} is not the name of a package.`, {
      hint: 'For example: `dowser add npm:zod`.',
    });
  }
  return {
    kind: 'npm',
    live: false,
    directory: true,
    locator: { package: name },
    title: `npm:${name}`,
    async *read(signal) {
      yield toItem(await view(name, context, signal));
    },
  };
}

async function view(name: string, { env, limits }: SourceContext, signal: AbortSignal): Promise<JsonObject> {
  const onWindows = process.platform === 'win32';
  const text = await new Promise<string>((resolve, reject) => {
    const options = {
      cwd: tmpdir(),
      env,
      signal,
      timeout: limits.connectMs + limits.listMs,
      maxBuffer: limits.maxBytes,
      shell: onWindows,
      windowsHide: true,
    };
    execFile(onWindows ? 'npm.cmd' : 'npm', ['view', name, '--json', '--loglevel=error'], options, (error, stdout) => {
      if (signal.aborted) reject(signal.reason);
      else if (error === null) resolve(stdout);
      else reject(notFound(name, error));
    });
  });
  try {
    const found: unknown = JSON.parse(text);
    if (isJsonObject(found) && typeof found.name === 'string') return found;
  } catch {
    // As below.
  }
  throw notFound(name, new Error('npm gave no package'));
}

function notFound(name: string, cause: Error): DowserError {
  return new DowserError('SOURCE_UNREACHABLE', `npm cannot read the package ${showValue(name)}.`, {
    hint: 'Check the name, and that `npm view` works here.',
    cause,
  });
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The newest ones. */
const MAX_VERSIONS = 300;
const MAX_PEERS = 200;

function peersOf({ peerDependencies: ranges, peerDependenciesMeta: more }: JsonObject) {
  if (!isJsonObject(ranges)) return undefined;
  const isOptional = (name: string) => {
    const about = isJsonObject(more) ? more[name] : undefined;
    return isJsonObject(about) && about.optional === true;
  };
  return Object.entries(ranges)
    .slice(0, MAX_PEERS)
    .map(([name, range]) => ({ name, range: String(range), optional: isOptional(name) }));
}

function toItem(found: JsonObject): SourceItem {
  const name = String(found.name);
  const version = text(found.version);
  const { repository, time, keywords, dependencies } = found;
  const url = isJsonObject(repository) ? text(repository.url) : text(repository);
  const released = isJsonObject(time) && version !== undefined ? text(time[version]) : undefined;
  const deprecated = text(found.deprecated);
  return {
    part: '',
    entity: stated({
      type: 'package',
      path: `npm:${name}`,
      name,
      description: text(found.description),
      tags: Array.isArray(keywords) ? keywords.filter((word) => typeof word === 'string').slice(0, 100) : undefined,
      version,
      license: text(found.license),
      homepage: text(found.homepage),
      repository: url?.replace(/^git\+/, '').replace(/\.git$/, ''),
      ecosystem: 'npm',
      package_name: name,
      install: `npm install ${name}`,
      versions: Array.isArray(found.versions)
        ? found.versions.filter((one) => typeof one === 'string').slice(-MAX_VERSIONS)
        : undefined,
      peers: peersOf(found),
      ...(released === undefined ? {} : { health: { last_release: released } }),
      metadata: stated({
        dependencies: isJsonObject(dependencies) ? Object.keys(dependencies) : [],
        versions: Array.isArray(found.versions) ? found.versions.length : undefined,
        deprecated,
      }),
    }),
    warnings: deprecated === undefined ? [] : [`The package is deprecated: ${deprecated}`],
  };
}
