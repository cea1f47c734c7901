import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { callError } from '../contract/call-errors.ts';

/** What a request says, before its tool is known. */
export interface CallTarget {
  readonly path: string;
  /** The arguments, still with what models wrap around them. */
  readonly given: JsonObject;
  /** Fields beside the path that are not ours: arguments, if the tool declares them. */
  readonly beside: JsonObject;
  /** The name under which the arguments came. A tool may declare it itself. */
  readonly under: string;
  /** Why the arguments cannot be read. Null if they can. */
  readonly problem: string | null;
  readonly options: CallTargetOptions;
  readonly repairs: readonly string[];
}

export interface CallTargetOptions {
  readonly definition?: unknown;
  readonly session?: unknown;
  readonly max_tokens?: unknown;
  readonly timeout_s?: unknown;
  readonly read_only?: unknown;
}

const PATH_FIELDS = ['path', 'name', 'tool_name', 'tool'] as const;
const ARGUMENT_FIELDS = ['arguments', 'args', 'parameters', 'input', 'args_json'] as const;
const OPTION_FIELDS = ['definition', 'session', 'max_tokens', 'timeout_s', 'read_only'] as const;
/** Our own tools, which models call through themselves. */
const READ_WRAPPER = 'call_read_tool';
const WRAPPERS: readonly string[] = ['call_tool', READ_WRAPPER];
/** `/server#tool`, `server:tool`, `server__tool`. */
const LOOKS_LIKE_TOOL = /#|__|^[\w.-]+:[^/]/;

/**
 * Reads a request in the shapes that models send: other names of the fields, arguments as JSON text, a path inside the
 * arguments, a call of `call_tool` through itself. Throws INVALID_ARGUMENTS where no tool is named.
 */
export function readTarget(request: unknown): CallTarget {
  const repairs: string[] = [];
  let fields = objectOf(request, 'the request', repairs);
  let path = pathIn(fields);
  if (path !== undefined && WRAPPERS.includes(path.value)) {
    const inner = argumentsIn(fields);
    const outer = pick(fields, OPTION_FIELDS);
    // Clients do not ask their user before `call_read_tool`: what it wraps must not do more.
    const onlyReads = outer.read_only === true || path.value === READ_WRAPPER ? { read_only: true } : {};
    fields = { ...outer, ...objectOf(inner?.value, 'arguments', repairs), ...onlyReads };
    path = pathIn(fields);
    repairs.push('the path was inside a call of the tool by itself');
  }
  const found = argumentsIn(fields);
  const read = readObject(found?.value, 'arguments', repairs);
  let given = typeof read === 'string' ? {} : read;
  if (found !== undefined && found.field !== 'arguments') repairs.push(`'${found.field}' is called 'arguments'`);
  if (path === undefined) {
    const inside = pathIn(given);
    if (inside === undefined || !LOOKS_LIKE_TOOL.test(inside.value)) throw noPath();
    path = inside;
    given = without(given, [inside.field]);
    repairs.push("'path' belongs beside 'arguments'");
  } else if (path.field !== 'path') {
    repairs.push(`'${path.field}' is called 'path'`);
  }
  const ours = [path.field, ...OPTION_FIELDS, ...(found === undefined ? [] : [found.field])];
  return {
    path: path.value.trim(),
    given,
    under: found?.field ?? 'arguments',
    problem: typeof read === 'string' ? read : null,
    beside: without(fields, ours),
    options: pick(fields, OPTION_FIELDS),
    repairs,
  };
}

/** The arguments as the tool declares them. */
export function fitArguments(
  target: CallTarget,
  schema: JsonObject | undefined,
): { readonly arguments: JsonObject; readonly repairs: readonly string[] } {
  const declared = isJsonObject(schema?.properties) ? schema.properties : {};
  const declares = (name: string) => Object.hasOwn(declared, name);
  const notes: string[] = [];
  const { repairs, under } = target;
  // `input` beside the path, of a tool that has an argument called so.
  const isArgument = under !== 'arguments' && declares(under);
  const given = isArgument ? {} : target.given;
  const beside = isArgument ? { ...target.beside, [under]: target.given } : target.beside;
  let fitted: JsonObject = given;
  const [only, ...others] = Object.keys(given);
  if (only === 'arguments' && others.length === 0 && !declares('arguments')) {
    const inner = given.arguments;
    if (inner === null || isJsonObject(inner) || typeof inner === 'string') {
      fitted = objectOf(inner, 'arguments', notes);
      notes.push("'arguments' was inside 'arguments'");
    }
  }
  const taken = Object.keys(beside).filter((name) => declares(name) && !Object.hasOwn(fitted, name));
  if (taken.length > 0) {
    fitted = { ...fitted, ...pick(beside, taken) };
    notes.push(`${listed(taken)} ${taken.length === 1 ? 'belongs' : 'belong'} inside 'arguments'`);
  }
  const ignored = Object.keys(beside).filter((name) => !taken.includes(name));
  if (ignored.length > 0)
    notes.push(`${listed(ignored)} beside 'path' ${ignored.length === 1 ? 'was' : 'were'} ignored`);
  return { arguments: fitted, repairs: [...repairs, ...notes] };
}

/** The server and the tool that a path in the spelling of a client may mean: `server:tool`, `mcp__server__tool`. */
export function otherSpellings(path: string): readonly { readonly server: string; readonly tool: string }[] {
  const plain = path.replace(/^\/+/, '').replace(/^mcp__/, '');
  return ['#', ':', '__'].flatMap((mark) => {
    const found: { server: string; tool: string }[] = [];
    for (let at = plain.indexOf(mark); at > 0; at = plain.indexOf(mark, at + 1)) {
      const tool = plain.slice(at + mark.length);
      if (tool !== '') found.push({ server: plain.slice(0, at), tool });
    }
    return found;
  });
}

const MAX_SHOWN_CHARS = 200;

/** One line for the model: what was repaired, and the call as it should be sent. Bad input is never repeated. */
export function repairLine(repairs: readonly string[], path: string, args: JsonObject): string {
  const whole = JSON.stringify({ path, arguments: args });
  const shown = whole.length <= MAX_SHOWN_CHARS ? whole : `{"path":${JSON.stringify(path)},"arguments":{...}}`;
  return `Repaired: ${[...new Set(repairs)].join('; ')}. Next time: ${shown}`;
}

function pathIn(fields: JsonObject): { readonly field: string; readonly value: string } | undefined {
  const field = PATH_FIELDS.find((name) => typeof fields[name] === 'string' && fields[name] !== '');
  return field === undefined ? undefined : { field, value: (fields[field] as string).trim() };
}

/** Of the other names, only one with an object or its text: `input` may be an argument of the tool. */
function argumentsIn(fields: JsonObject): { readonly field: string; readonly value: unknown } | undefined {
  const field = ARGUMENT_FIELDS.find((name) => {
    if (!Object.hasOwn(fields, name)) return false;
    if (name === 'arguments') return true;
    const value = fields[name];
    return isJsonObject(value) || (typeof value === 'string' && value.trim().startsWith('{'));
  });
  return field === undefined ? undefined : { field, value: fields[field] };
}

/** A JSON text inside a JSON text is the most that models send. */
const MAX_TEXTS = 2;

/** The object that a value is, perhaps as text. Throws INVALID_ARGUMENTS for anything else. */
function objectOf(value: unknown, what: string, repairs: string[]): JsonObject {
  const read = readObject(value, what, repairs);
  if (typeof read !== 'string') return read;
  throw callError('INVALID_ARGUMENTS', `${capital(what)} ${read}.`, SHAPE, { field: 'arguments', example: EXAMPLE });
}

/** Or what is wrong with it. */
function readObject(value: unknown, what: string, repairs: string[]): JsonObject | string {
  let read = value;
  for (let layer = 0; typeof read === 'string' && layer < MAX_TEXTS; layer++) {
    if (read.trim() === '') return {};
    try {
      read = JSON.parse(read);
    } catch {
      return 'must be an object, and is text that is not JSON';
    }
    if (layer === 0) repairs.push(`send ${what} as an object, not as text`);
  }
  if (read === undefined || read === null) return {};
  return isJsonObject(read) ? read : 'must be an object';
}

const EXAMPLE = { path: '/github#get_issue', arguments: { number: 3 } };
const SHAPE = `Send it as ${JSON.stringify(EXAMPLE)}.`;

const noPath = () =>
  callError('INVALID_ARGUMENTS', "'path' is missing: no tool is named.", `Take a path from search_tools. ${SHAPE}`, {
    field: 'path',
    example: EXAMPLE,
  });

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const listed = (names: readonly string[]) => names.map((name) => `'${name.slice(0, 40)}'`).join(', ');

function pick<K extends string>(fields: JsonObject, names: readonly K[]): { readonly [N in K]?: unknown } {
  const found = names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]);
  return Object.fromEntries(found) as { [N in K]?: unknown };
}

function without(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
