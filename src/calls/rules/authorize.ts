import { type Caller, hasRight } from '../../model/caller/caller.ts';
import type { VirtualServer } from '../../model/entity.ts';
import type { DowserError } from '../../model/errors/errors.ts';
import type { CallClass } from '../../model/query/call-classes.ts';
import { callError } from '../contract/call-errors.ts';
import type { Backend, FoundTool, ServerSource } from '../contract/tool-caller.ts';
import { type CallLimit, classOf, isWithin, scopeFor } from './call-class.ts';
import { allowedBy, type CallRule, type CallRules, classBy, deniedBy } from './call-rules.ts';
import { placeDigestOf } from './server-place.ts';

export interface AuthorizeOptions {
  readonly found: FoundTool;
  readonly caller: Caller;
  readonly rules: CallRules;
  readonly limit: CallLimit;
  /** The caller asked for a tool that only reads. */
  readonly readOnly: boolean;
  readonly isTrusted: (source: ServerSource) => boolean;
}

export interface Authorized {
  readonly backend: Backend;
  readonly class: CallClass;
  readonly rule: CallRule;
  /** Throws NOT_CALLABLE if the server uses credentials of the operator, and the caller is somebody else. */
  readonly checkCredentials: (usesCredentials: boolean) => void;
}

const NO_RULE: CallRule = {};

/** Whether a caller may call a tool, which it can read. Throws NOT_CALLABLE, CLASS_REFUSED or FORBIDDEN. */
export function authorize({ found, caller, rules, limit, readOnly, isTrusted }: AuthorizeOptions): Authorized {
  const { path, server } = found;
  const name = path.slice(server.path.length + 1);
  const own = rules[server.path] ?? NO_RULE;
  const backend = checkedBackend(found, own, name);
  const rule = rules[backend.server.path] ?? NO_RULE;
  if (deniedBy(own, name) || deniedBy(rule, backend.tool)) {
    throw refused(path, 'the operator denies it', 'The operator can allow it with `dowser call allow`.');
  }
  for (const { is_enabled, status, path: at } of [server, backend.server]) {
    if (!is_enabled) throw refused(path, `${at} is disabled`, 'Enable it in the registry first.');
    if (status === 'draft' || status === 'deprecated') {
      throw refused(path, `${at} is ${status}`, 'Use a tool of an active server.');
    }
  }
  const { source } = backend;
  if (source?.kind === 'example') throw refused(path, 'it is an example', 'Add the server itself with `dowser add`.');
  const isOwnSource = source !== undefined && STARTED_BY_ADD.includes(source.kind) && isTrusted(source);
  if (!isOwnSource && allowedBy(rule, backend.tool) && rule.place !== placeDigestOf(backend)) {
    const how = `Check where it is now, then run \`dowser call allow ${backend.server.path}\` again.`;
    throw refused(path, 'its command or address has changed since it was allowed', how);
  }
  if (!isOwnSource && !allowedBy(rule, backend.tool)) {
    const how = `Add the server with \`dowser add\`, or allow it with \`dowser call allow ${backend.server.path}\`.`;
    throw refused(path, 'its server was not added on this machine', how);
  }
  const callClass = classBy(rule, backend.tool) ?? classOf(backend.accepted.annotations);
  if (readOnly && callClass !== 'read') {
    throw classRefused(path, callClass, 'call_read_tool calls tools that only read', 'Use call_tool.');
  }
  if (!isWithin(callClass, limit)) {
    const how = `The operator can set 'call' to '${callClass}'. Tools without annotations count as destructive: \`dowser call classify\` shows them.`;
    throw classRefused(path, callClass, `the setting 'call' is '${limit}'`, how);
  }
  checkCaller(found, caller, callClass);
  return {
    backend,
    class: callClass,
    rule,
    checkCredentials(usesCredentials) {
      if (!usesCredentials || rule.share === true || isOperator(caller)) return;
      const how = `The operator can share it with \`dowser call allow ${backend.server.path} --share\`.`;
      throw refused(path, 'its server uses credentials of the operator', how);
    },
  };
}

/** Kinds of sources that were started or called when they were added. A list of servers only names others. */
const STARTED_BY_ADD: readonly string[] = ['mcp', 'config'];

/** Who needs no scope for what the settings allow. */
const isOperator = ({ scopes }: Caller): boolean => scopes === undefined || scopes.includes('admin');

function checkedBackend({ path, server, backend }: FoundTool, own: CallRule, name: string): Backend {
  if (backend === null) {
    const how = 'Its mapping names a server, a version or a tool that is not registered: use another tool.';
    throw refused(path, 'no server runs it', how);
  }
  if (backend.isShared || allowedBy(own, name)) return backend;
  const how = `The operator can allow it with \`dowser call allow ${server.path}\`.`;
  throw refused(path, 'not every reader of its virtual server may read the server that runs it', how);
}

function checkCaller({ path, server }: FoundTool, caller: Caller, callClass: CallClass): void {
  const scope = scopeFor(callClass);
  if (!hasRight(caller, scope)) {
    throw callError(
      'FORBIDDEN',
      `The tool ${path} needs the scope '${scope}'.`,
      'Use a key with this scope, or ask an admin for it.',
      {
        scope,
      },
    );
  }
  const { servers } = caller;
  if (servers !== undefined && !servers.includes(server.path)) {
    throw callError(
      'FORBIDDEN',
      `The key may not call tools of ${server.path}.`,
      `It is for ${servers.join(', ')}. Ask an admin for another one.`,
    );
  }
  if (server.type === 'virtual_server' && !isOperator(caller)) checkVirtualScopes(path, server, caller);
}

/** A virtual server may ask for scopes of its own. They are groups of its callers. */
function checkVirtualScopes(path: string, server: VirtualServer, { readers }: Caller): void {
  const name = path.slice(server.path.length + 1);
  const overrides = server.tool_scope_overrides.filter(({ tool_alias }) => tool_alias === name);
  const needed = [server, ...overrides].flatMap(({ required_scopes }) => required_scopes);
  const missing = needed.find((scope) => readers?.includes(`group:${scope}`) === false);
  if (missing === undefined) return;
  const how = `Ask an admin to add you to the group '${missing}', or use another tool.`;
  throw callError('FORBIDDEN', `The tool ${path} is for callers of the group '${missing}'.`, how);
}

const refused = (path: string, why: string, hint: string): DowserError =>
  callError('NOT_CALLABLE', `The tool ${path} cannot be called: ${why}.`, hint);

const classRefused = (path: string, callClass: CallClass, why: string, hint: string): DowserError =>
  callError('CLASS_REFUSED', `The tool ${path} is ${WORDS[callClass]}, and ${why}.`, hint);

const WORDS: Readonly<Record<CallClass, string>> = {
  read: 'read-only',
  write: 'of class write',
  destructive: 'of class destructive',
};
