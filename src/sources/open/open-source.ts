import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { entityId, isEntityType, splitEntityId } from '../../model/entity.ts';
import { ENTITY_TYPE_TABLE } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { parseAddress } from '../fetch/bounded-fetch.ts';
import { type FetchOptions, fetchDocument, readTextFile } from '../fetch/read-document.ts';
import { fillSpec, type RemoteSpec } from '../fetch/remote-source.ts';
import { ardLinkOf } from '../formats/ard-link.ts';
import { agentCardFileSource, agentCardSource, CARD_PLACES } from '../kinds/agent-card-source.ts';
import { ARD_PLACES, ardFileSource, ardUrlSource } from '../kinds/ard-source.ts';
import { dowserSource, isDowser } from '../kinds/dowser-source.ts';
import { isNpmName, npmSource } from '../kinds/npm-source.ts';
import { registrySource, serverListAddress } from '../kinds/registry-source.ts';
import { serverFileSource, serverUrlSource } from '../kinds/server-source.ts';
import { skillFileSource, skillFolderSource, skillUrlSource } from '../kinds/skill-source.ts';
import { clientConfigSource } from '../mcp/client-config.ts';
import { mcpServerSource } from '../mcp/mcp-source.ts';
import { isServerAddress } from '../mongodb/mongodb-server.ts';
import { dumpSource, serverSource } from '../mongodb/open-mongodb.ts';
import { publicUrl, shownArgument } from '../secrets/secret-references.ts';
import type { SourceItem } from '../source.ts';
import {
  isSourceKind,
  type Locator,
  SOURCE_KINDS,
  type Source,
  type SourceContext,
  type SourceKind,
} from '../source.ts';
import { boundedSource } from './bounded-source.ts';
import { brokenJson, isJsonLines, isMcpAnswer, recognizeText } from './recognize.ts';

const NAMESPACE = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** Of the other kinds, paths are names: those of a registry, a package or another Dowser. */
const KINDS: readonly SourceKind[] = ['mcp', 'config', 'a2a', 'skill', 'ard'];

export interface SourceRequest {
  /** A file, a folder or an address; undefined with a command. */
  readonly what?: string;
  /** Overrides the detection. */
  readonly kind?: SourceKind;
  /** A program and its arguments. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly name?: string;
  /** What the paths of all its entities begin with. */
  readonly namespace?: string;
}

const isAddress = (what: string): boolean => /^[a-z][\w+.-]*:\/\//i.test(what);

/** Detects the kind of a source and opens it. Reads as much of it as that takes. */
export async function openSource(request: SourceRequest, context: SourceContext, signal: AbortSignal): Promise<Source> {
  const found = namespacedSource(await findSource(request, context, signal), request.namespace);
  const source = boundedSource(found, context.limits);
  const { name, env = {}, headers = {}, command } = request;
  const idle = [
    ...(name !== undefined && source.kind !== 'mcp' ? ['--name'] : []),
    ...(Object.keys(env).length > 0 && command === undefined ? ['--env'] : []),
    ...(Object.keys(headers).length > 0 && source.locator.url === undefined ? ['--header'] : []),
  ];
  if (idle.length === 0) return source;
  throw new DowserError('INVALID_REQUEST', `${idle.join(' and ')} cannot be used with '${source.title}'.`, {
    hint: 'Use --env with a command, --header with an address, --name with one MCP server.',
  });
}

async function findSource(request: SourceRequest, context: SourceContext, signal: AbortSignal): Promise<Source> {
  const { what, kind, command, env, headers, name } = request;
  const named = name === undefined ? {} : { name };
  if (command !== undefined) {
    const [program, ...args] = command;
    if (program === undefined || (kind !== undefined && kind !== 'mcp')) {
      throw new DowserError(
        'INVALID_REQUEST',
        program === undefined
          ? 'The command after -- is missing.'
          : `A command starts an MCP server; --kind ${kind} does not apply.`,
        {
          hint: 'For example: `dowser add -- npx -y some-server`.',
        },
      );
    }
    return mcpServerSource({ command: program, args, env: env ?? {}, ...named, cwd: resolve('.') }, context);
  }
  if (what === undefined || what.trim() === '')
    throw new DowserError('INVALID_REQUEST', 'Nothing to add.', {
      hint: 'Give a file, a folder, an address, or a command after --.',
    });
  if (isNpmName(what) || kind === 'npm') return npmSource(what.replace(/^npm:/, ''), context);
  if (isAddress(what)) {
    const remote = { url: what, ...(headers === undefined ? {} : { headers }), ...named };
    const found = isServerAddress(what) ? 'mongodb' : await checkedKind(remote, kind, context, signal);
    return openAddress(remote, found, context);
  }
  return openPath(what, kind, context);
}

interface Opener {
  readonly file?: (path: string, context: SourceContext) => Source;
  readonly url?: (spec: RemoteSpec, context: SourceContext, since?: string) => Source;
}

/** How each kind is opened. An address may have the name of a server. */
const OPENERS: Readonly<Record<SourceKind, Opener>> = {
  mcp: { url: mcpServerSource },
  config: { file: clientConfigSource },
  a2a: { file: agentCardFileSource, url: agentCardSource },
  skill: { file: skillFileSource, url: skillUrlSource },
  server: { file: serverFileSource, url: serverUrlSource },
  registry: { url: registrySource },
  ard: { file: ardFileSource, url: ardUrlSource },
  npm: {},
  dowser: { url: dowserSource },
  mongodb: { url: (spec, context) => serverSource(spec, context) },
};

function openAddress(spec: RemoteSpec, kind: SourceKind, context: SourceContext): Source {
  const source = OPENERS[kind].url?.(spec, context);
  if (source !== undefined) return source;
  throw new DowserError('INVALID_REQUEST', 'A configuration must be a file, not an address.', {
    hint: 'Save it to a file and read it first: it can start programs on this machine.',
  });
}

async function openPath(given: string, kind: SourceKind | undefined, context: SourceContext): Promise<Source> {
  const path = resolve(given);
  const what = shownArgument(given);
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) {
    throw new DowserError('NOT_FOUND', `File or folder not found: ${what}.`, {
      hint: 'An address must begin with http:// or https://. A command must follow --.',
    });
  }
  if (stats.isDirectory()) {
    if (kind === undefined || kind === 'skill') return skillFolderSource(path, context);
    if (kind === 'mongodb') return dumpSource(path);
    throw new DowserError(
      'INVALID_REQUEST',
      `'${what}' is a folder; only skills and dumps can be read from a folder.`,
      {
        field: 'kind',
        hint: 'Name a file or an address, or leave --kind out.',
      },
    );
  }
  const text = kind === undefined ? await readTextFile(path, context.limits.maxBytes) : '';
  const found = kind ?? recognizeText(text);
  if (found === undefined) throw notRecognized(`'${what}'`, what, text);
  const source = OPENERS[found].file?.(path, context);
  if (source !== undefined) return source;
  throw found === 'mcp'
    ? new DowserError('INVALID_REQUEST', `'${what}' is a file; an MCP server needs a command.`, {
        hint: `For example: \`dowser add -- node ${what}\`.`,
      })
    : new DowserError('INVALID_REQUEST', `'${what}' is a file; a source of kind ${found} must be an address.`, {
        field: 'kind',
        hint: 'Give the https address of the source.',
      });
}

/** Why the kind of a text is unknown. Most often it is broken JSON. */
function notRecognized(subject: string, what: string, text: string): DowserError {
  const unknown = (hint: string) => new DowserError('INVALID_FILE', `Cannot detect the kind of ${subject}.`, { hint });
  if (/\.jsonl$/i.test(what) || isJsonLines(text))
    return unknown('Use `dowser import` to load entities from JSON Lines.');
  return brokenJson(text, subject) ?? unknown(`Set it with --kind: ${SOURCE_KINDS.join(', ')}.`);
}

/** The kind of an address, given or detected. Errors contain no filled-in value. */
async function checkedKind(
  spec: RemoteSpec,
  kind: SourceKind | undefined,
  context: SourceContext,
  signal: AbortSignal,
): Promise<SourceKind> {
  const { limits } = context;
  const { url, headers, redactor } = await fillSpec(spec, context);
  try {
    parseAddress(url);
    return kind ?? (await kindOfAddress(url, { limits, signal, headers }));
  } catch (thrown) {
    throw thrown instanceof DowserError ? redactor.error(thrown) : thrown;
  }
}

/**
 * Detects the kind of an address: fetches the address itself, then the well-known paths. Anything else counts as an MCP
 * server, whose answer to a plain GET may be anything.
 */
async function kindOfAddress(url: string, options: FetchOptions): Promise<SourceKind> {
  if (/\/v0(?:\.\d+)?(?:\/servers)?\/?$/.test(new URL(url).pathname)) return 'registry';
  const answer = await fetchDocument(url, options);
  if (isMcpAnswer(answer)) return 'mcp';
  if (await isDowser(answer.url, options)) return 'dowser';
  const said = answer.status === 200 ? recognizeText(answer.text) : undefined;
  if (said !== undefined) return said;
  if (answer.status === 200 && ardLinkOf(answer.text, answer.url) !== undefined) return 'ard';
  if (/\.(?:json|md)$/i.test(new URL(url).pathname)) {
    if (answer.status === 200) throw notRecognized(publicUrl(url).text, url, answer.text);
    throw new DowserError('SOURCE_UNREACHABLE', `${publicUrl(url).text} answers ${answer.status}.`, {
      hint: 'Check the address.',
    });
  }
  if (/\/(?:mcp|sse)\/?$/i.test(new URL(url).pathname)) return 'mcp';
  const places: readonly (readonly [SourceKind, string])[] = [
    ...CARD_PLACES.map((place) => ['a2a', new URL(place, url).href] as const),
    ...ARD_PLACES.map((place) => ['ard', new URL(place, url).href] as const),
    ['registry', serverListAddress(url).href],
  ];
  for (const [kind, place] of places) {
    const found = await fetchDocument(place, options).catch(() => undefined);
    options.signal.throwIfAborted();
    if (found?.status === 200 && recognizeText(found.text) === kind) return kind;
  }
  return 'mcp';
}

/** Opens a stored source again. Throws INVALID_REQUEST for an unknown kind. */
export function reopenSource(kind: string, locator: Locator, context: SourceContext, since?: string): Source {
  const { namespace } = locator as { readonly namespace?: string };
  return boundedSource(namespacedSource(findStored(kind, locator, context, since), namespace), context.limits);
}

function findStored(kind: string, locator: Locator, context: SourceContext, since?: string): Source {
  const stored = locator as Readonly<Record<string, string | undefined>>;
  const { file, folder, url, command, package: packageName, registry_namespace: registryNamespace } = stored;
  if (isSourceKind(kind)) {
    const open = OPENERS[kind];
    if (kind === 'mcp' && command !== undefined) return mcpServerSource(locator, context);
    if (kind === 'npm' && packageName !== undefined) return npmSource(packageName, context);
    if (kind === 'skill' && folder !== undefined) return skillFolderSource(folder, context);
    if (kind === 'mongodb' && folder !== undefined) return dumpSource(folder, registryNamespace);
    if (file !== undefined && open.file !== undefined) return open.file(file, context);
    if (kind === 'mongodb' && url !== undefined) return serverSource({ url }, context, registryNamespace);
    if (url !== undefined && open.url !== undefined) return open.url({ ...locator, url }, context, since);
  }
  throw new DowserError(
    'INVALID_REQUEST',
    `Cannot read a stored source of kind '${kind}' with ${Object.keys(locator).join(', ')}.`,
    {
      hint: 'Add it again with `dowser add`.',
    },
  );
}

/**
 * The same source with every entity below a namespace: `/skills/pdf` becomes `/skills/acme/pdf`. So two collections may have
 * skills of one name. The namespace is part of the locator: with another one, it is another source.
 */
function namespacedSource(source: Source, namespace: string | undefined): Source {
  if (namespace === undefined) return source;
  if (!NAMESPACE.test(namespace)) {
    throw new DowserError(
      'INVALID_REQUEST',
      `--namespace is ${showValue(namespace)}: must be a name of letters, digits and ._-`,
      {
        field: 'namespace',
      },
    );
  }
  if (!KINDS.includes(source.kind)) {
    throw new DowserError('INVALID_REQUEST', `--namespace cannot be used with a source of kind ${source.kind}.`, {
      field: 'namespace',
      hint: `Use it with ${KINDS.join(', ')}.`,
    });
  }
  return {
    ...source,
    locator: { ...source.locator, namespace },
    async *read(signal): AsyncGenerator<SourceItem> {
      for await (const item of source.read(signal)) yield inNamespace(item, namespace);
    },
  };
}

function inNamespace(item: SourceItem, namespace: string): SourceItem {
  if ('withdrawn' in item) {
    const { type, path } = splitEntityId(item.withdrawn);
    return { ...item, withdrawn: entityId(type, pathIn(namespace, type, path)) };
  }
  if (!('entity' in item)) return item;
  const { type, path } = item.entity;
  if (typeof path !== 'string') return item;
  return { ...item, entity: { ...item.entity, path: pathIn(namespace, type, path) } };
}

function pathIn(namespace: string, type: unknown, path: string): string {
  const prefix = isEntityType(type) ? ENTITY_TYPE_TABLE[type].pathPrefix : '/';
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : path.replace(/^\/+/, '');
  return `${prefix}${namespace}/${rest}`;
}
