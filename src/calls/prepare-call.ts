import { z } from 'zod';
import type { Caller } from '../model/caller/caller.ts';
import { type DowserError, toDowserError } from '../model/errors/errors.ts';
import type { JsonObject } from '../model/json/json-object.ts';
import { parseWith, showValue } from '../model/parse/parse.ts';
import type { CallClass } from '../model/query/call-classes.ts';
import type { CallableServer } from '../sources/mcp/callable-server.ts';
import { type ArgumentCheck, type ArgumentProblem, signatureOf } from './arguments/check-arguments.ts';
import { fitArguments, otherSpellings, readTarget, repairLine } from './arguments/normalize.ts';
import { checkDefinition } from './check-definition.ts';
import { callError } from './contract/call-errors.ts';
import type { Backend, CallBy, CallCheck, CallView, FoundTool, ServerSource } from './contract/tool-caller.ts';
import { type Authorized, authorize } from './rules/authorize.ts';
import type { CallLimit } from './rules/call-class.ts';
import type { CallRules } from './rules/call-rules.ts';

/** Paths that a request may mean, if they are few. */
const MAX_SPELLINGS = 20;

export interface PrepareParts {
  /** The highest class that may be called. */
  readonly limit: Exclude<CallLimit, 'off'>;
  /** What the operator allows and denies, as it is now. */
  readonly rules: () => CallRules;
  /** Whether a source was added with this data folder. */
  readonly isTrusted: (source: ServerSource) => boolean;
  /** How to connect to a server, with the folder of the rule. Undefined for one without a command or an address. */
  readonly connect: (backend: Backend, cwd: string | undefined) => Promise<CallableServer | undefined>;
}

const optionsSchema = z.object({
  definition: z.string().max(128).optional(),
  session: z.string().max(64).optional(),
  max_tokens: z.int().min(50).max(100_000).default(8000),
  timeout_s: z.int().min(1).max(600).optional(),
  read_only: z.boolean().default(false),
});

/** A call that has passed every check. Only this is executed. */
export interface PreparedCall {
  readonly found: FoundTool;
  readonly backend: Backend;
  readonly arguments: JsonObject;
  readonly class: CallClass;
  readonly server: CallableServer;
  readonly options: z.output<typeof optionsSchema>;
  /** One line for the model. Empty: the request was as it should be. */
  readonly repairs: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * From a request to the call that it means: normalized, resolved in the view of its caller, authorized, its definition and its
 * arguments checked. Starts nothing. `onFound` is told the tool, also of a call that is refused.
 */
export async function prepareCall(
  request: unknown,
  { caller, view }: CallBy,
  parts: PrepareParts,
  check: ArgumentCheck,
  onFound: (found: FoundTool) => void = () => {},
): Promise<PreparedCall> {
  const target = readTarget(request);
  const options = parseWith(optionsSchema, target.options, 'call', 'INVALID_ARGUMENTS');
  const { found, repair } = await resolveTool(view, target.path);
  onFound(found);
  const allowed = allowedCall(found, caller, options.read_only, parts);
  const { backend } = allowed;
  checkDefinition(found, backend, options.definition);
  const schema = backend.accepted.inputSchema as JsonObject | undefined;
  const key = `${found.path} ${backend.definition}`;
  if (target.problem !== null) {
    throw invalidArguments(found.path, { at: '/', expected: target.problem, example: check.example(key, schema) });
  }
  const fitted = fitArguments(target, schema);
  const { problem, warning } = check.check(key, schema, fitted.arguments);
  if (problem !== null) throw invalidArguments(found.path, problem);
  const server = await connected(found, allowed, parts);
  const repairs = repair === null ? fitted.repairs : [...fitted.repairs, repair];
  return {
    found,
    backend,
    arguments: fitted.arguments,
    class: allowed.class,
    server,
    options,
    repairs: repairs.length === 0 ? [] : [repairLine(repairs, found.path, fitted.arguments)],
    warnings: warning === null ? [] : [warning],
  };
}

/** Whether a tool may be called, whatever its arguments. Starts nothing. */
export async function preflightTool(path: string, { caller, view }: CallBy, parts: PrepareParts): Promise<CallCheck> {
  try {
    const { found } = await resolveTool(view, path);
    const allowed = allowedCall(found, caller, false, parts);
    const { accepted, definition } = allowed.backend;
    checkDefinition(found, allowed.backend, undefined);
    await connected(found, allowed, parts);
    const signature = signatureOf(accepted.inputSchema as JsonObject | undefined);
    return { path: found.path, class: allowed.class, definition, signature, code: null, why: null };
  } catch (thrown) {
    const { code, message, ownHint } = toDowserError(thrown);
    const why = code === 'NOT_FOUND' && ownHint !== undefined ? `${message} ${ownHint}` : message;
    return { path, class: null, definition: null, signature: null, code, why };
  }
}

const allowedCall = (found: FoundTool, caller: Caller, readOnly: boolean, parts: PrepareParts): Authorized =>
  authorize({ found, caller, rules: parts.rules(), limit: parts.limit, readOnly, isTrusted: parts.isTrusted });

/** The server of an allowed tool, not started. */
async function connected(found: FoundTool, allowed: Authorized, { connect }: PrepareParts): Promise<CallableServer> {
  const { backend, rule, checkCredentials } = allowed;
  const problem = (message: string, hint: string) => callError('NOT_CALLABLE', message, hint);
  let server: CallableServer | undefined;
  try {
    server = await connect(backend, rule.cwd);
  } catch (thrown) {
    const { message, ownHint } = toDowserError(thrown);
    throw problem(`The tool ${found.path} cannot be called. ${message}`, ownHint ?? 'Ask the operator.');
  }
  if (server === undefined) {
    throw problem(
      `The server ${backend.server.path} has neither a command nor an address.`,
      'Add it with `dowser add`, with the command that starts it or its address.',
    );
  }
  checkCredentials(server.usesCredentials);
  return server;
}

function invalidArguments(path: string, { at, expected, example }: ArgumentProblem): DowserError {
  const shown = example === undefined ? '' : ` For example ${JSON.stringify({ path, arguments: example })}`;
  return callError(
    'INVALID_ARGUMENTS',
    `The arguments of ${path} do not fit its schema: ${at} ${expected}.`,
    `Correct them: get_details shows the schema.${shown}`,
    {
      field: `arguments${at === '/' ? '' : at.replaceAll('/', '.')}`,
      expected,
      ...(example === undefined ? {} : { example }),
    },
  );
}

/**
 * The tool that a path means, in the view of its caller. Throws NOT_FOUND: a hidden tool and an absent one get the same answer.
 */
async function resolveTool(
  view: CallView,
  path: string,
): Promise<{ readonly found: FoundTool; readonly repair: string | null }> {
  const exact = await view.find(path);
  if (exact !== undefined) return { found: exact, repair: null };
  const meant = new Map<string, FoundTool>();
  for (const { server, tool } of otherSpellings(path).slice(0, MAX_SPELLINGS)) {
    for (const at of await view.serversNamed(server)) {
      const found = await view.find(`${at}#${tool}`);
      if (found !== undefined) meant.set(found.path, found);
    }
  }
  const [found, ...others] = meant.values();
  if (found !== undefined && others.length === 0) {
    return { found, repair: `the path of the tool is ${JSON.stringify(found.path)}` };
  }
  const near = found === undefined ? await view.near(path) : [...meant.keys()].sort().slice(0, 3);
  const hint =
    near.length === 0
      ? 'Take a path from search_tools.'
      : `${found === undefined ? 'Perhaps' : 'One of'} ${near.join(', ')}. Or take a path from search_tools.`;
  throw callError('NOT_FOUND', `There is no tool at ${showValue(path)}.`, hint, { field: 'path' });
}
