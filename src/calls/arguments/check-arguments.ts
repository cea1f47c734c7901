import { isDeepStrictEqual } from 'node:util';
import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { exampleOf } from './example-arguments.ts';

export interface ArgumentProblem {
  /** Where, as a JSON pointer. */
  readonly at: string;
  readonly expected: string;
  /** Arguments that fit, made from those that were sent. Undefined if none was found. */
  readonly example: JsonObject | undefined;
}

export interface CheckedArguments {
  readonly problem: ArgumentProblem | null;
  /** Why they were not checked. */
  readonly warning: string | null;
}

/** A schema may have a pattern that takes for ever, and may come from anyone. */
const COMPILE_MS = 2000;
const CHECK_MS = 50;
/** The second try: a busy machine may stop any process for a moment. */
const SLOW_CHECK_MS = 500;
const MAX_SCHEMAS = 500;
const PASSED: CheckedArguments = { problem: null, warning: null };

/** `isQuick`: small, and without what can take longer than its size. */
type Compiled =
  | {
      readonly accepts: (args: JsonObject) => boolean;
      /** Of the arguments that were refused last. */
      readonly errors: () => readonly ErrorObject[];
      readonly isQuick: boolean;
    }
  | { readonly why: string };

/** A check without these looks at each value once for each part of the schema. */
const SLOW_KEYWORDS = /"(?:pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/;
const MAX_QUICK_CHARS = 10_000;

/** Checks arguments against the schemas of tools, of JSON Schema 2020-12 or draft 7. */
export class ArgumentCheck {
  readonly #compiled = new Map<string, Compiled>();

  /** `key` is equal for equal schemas. */
  check(key: string, schema: JsonObject | undefined, args: JsonObject): CheckedArguments {
    if (schema === undefined) return PASSED;
    const compiled = this.#compiledOf(key, schema);
    if ('why' in compiled) return { problem: null, warning: `The arguments were not checked: ${compiled.why}.` };
    const isValid = validity(compiled, args);
    if (isValid === undefined) {
      // Once is enough: each try holds up everyone.
      const why = `the schema took more than ${SLOW_CHECK_MS} ms`;
      this.#compiled.set(key, { why });
      return { problem: null, warning: `The arguments were not checked: ${why}.` };
    }
    if (isValid) return PASSED;
    const [error] = mostSpecific(compiled.errors());
    const fits = (candidate: JsonObject) => validity(compiled, candidate) === true;
    const problem = {
      at: error?.instancePath === '' || error === undefined ? '/' : error.instancePath,
      expected: error === undefined ? 'must fit the schema' : wordsOf(error),
      example: exampleOf(schema, args, fits),
    };
    return { problem, warning: null };
  }

  /** Arguments that fit. Undefined if none were found. */
  example(key: string, schema: JsonObject | undefined): JsonObject | undefined {
    if (schema === undefined) return {};
    const compiled = this.#compiledOf(key, schema);
    return 'why' in compiled ? undefined : exampleOf(schema, {}, (candidate) => validity(compiled, candidate) === true);
  }

  #compiledOf(key: string, schema: JsonObject): Compiled {
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const compiled = compile(schema);
    if (this.#compiled.size >= MAX_SCHEMAS) this.#compiled.delete(this.#compiled.keys().next().value!);
    this.#compiled.set(key, compiled);
    return compiled;
  }
}

/** Undefined for a schema that is too slow. */
function validity({ accepts, isQuick }: Exclude<Compiled, { why: string }>, args: JsonObject): boolean | undefined {
  // To end a check takes a thread, which a busy machine starts late.
  if (isQuick && JSON.stringify(args).length <= MAX_QUICK_CHARS) return accepts(args);
  for (const ms of [CHECK_MS, SLOW_CHECK_MS]) {
    try {
      return within(ms, () => accepts(args));
    } catch {
      // It took too long.
    }
  }
  return undefined;
}

const OPTIONS = {
  strict: false,
  allErrors: false,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
  inlineRefs: false,
} as const;

function compile({ $schema, $id: _, ...schema }: JsonObject): Compiled {
  const isDraft = typeof $schema === 'string' && /draft-0[4-7]/.test($schema);
  try {
    const checked = withoutDefaulted(schema) as JsonObject;
    const compiled = (part: JsonObject) =>
      within(COMPILE_MS, () => (isDraft ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS)).compile(part));
    const lenient = compiled(checked);
    const strict = isDeepStrictEqual(checked, schema) ? null : compiled(schema);
    const accepts = (args: JsonObject) => (lenient(args) as boolean) || strict?.(args) === true;
    const errors = () => lenient.errors ?? [];
    const text = JSON.stringify(schema);
    return { accepts, errors, isQuick: text.length <= MAX_QUICK_CHARS && !SLOW_KEYWORDS.test(text) };
  } catch (thrown) {
    return { why: `the schema cannot be used (${(thrown as Error).message.slice(0, 200)})` };
  }
}

/** Their values are no schemas, or schemas that refuse by what they accept: they stay as they are. */
const KEPT: readonly string[] = ['default', 'const', 'enum', 'examples', 'not', 'if', 'contains'];
/** Their values are schemas by name. */
const BY_NAME: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/**
 * The schema without the required properties that have a default: their server adds it. Servers made with zod list all of them
 * as required. It refuses nothing that the schema accepts, but where a `not`, `if`, `contains` or `oneOf` has a reference: so
 * arguments are also checked with the schema as it is.
 */
function withoutDefaulted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDefaulted);
  if (!isJsonObject(schema)) return schema;
  const { oneOf, ...others } = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => {
      if (KEPT.includes(name)) return [name, part];
      if (!BY_NAME.includes(name) || !isJsonObject(part)) return [name, withoutDefaulted(part)];
      return [name, Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, withoutDefaulted(inner)]))];
    }),
  );
  const parts = { ...others, ...('required' in schema ? { required: requiredOf(schema) } : {}) };
  if (oneOf === undefined) return parts;
  if (isDeepStrictEqual(oneOf, schema.oneOf)) return { ...parts, oneOf };
  // Alternatives that only differ in what they require may all accept the same arguments now.
  const { allOf } = others;
  return { ...parts, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] };
}

/** What arguments must have. */
function requiredOf({ required, properties }: JsonObject): unknown {
  if (!Array.isArray(required) || !isJsonObject(properties)) return required;
  return required.filter((name: string) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return !isJsonObject(property) || !('default' in property);
  });
}

const script = new Script('run()');
/** One for all: it takes longer to make than a check. */
const context: { run: () => unknown } = { run: () => undefined };
createContext(context);

/** Ends a computation that takes longer, also inside a regular expression. */
function within<T>(ms: number, run: () => T): T {
  context.run = run;
  return script.runInContext(context, { timeout: ms }) as T;
}

/** Of alternatives, the error that is deepest in the arguments says most. */
function mostSpecific(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const depth = ({ instancePath, keyword }: ErrorObject) =>
    instancePath.split('/').length * 2 - (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'if' ? 1 : 0);
  return [...errors].sort((a, b) => depth(b) - depth(a));
}

function wordsOf({ keyword, params, message = 'must fit the schema' }: ErrorObject): string {
  if (keyword === 'required') return `must have '${params.missingProperty as string}'`;
  if (keyword === 'additionalProperties') return `must not have '${params.additionalProperty as string}'`;
  if (keyword === 'unevaluatedProperties') return `must not have '${params.unevaluatedProperty as string}'`;
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params.allowedValues).slice(0, 300)}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue).slice(0, 100)}`;
  return message;
}

const MAX_SIGNATURE_CHARS = 200;

/** The arguments of a tool in few words: `repo*, title*, body`. */
export function signatureOf(schema: JsonObject | undefined): string {
  const properties = isJsonObject(schema?.properties) ? Object.keys(schema.properties) : [];
  const needed = requiredOf(schema ?? {});
  const required = Array.isArray(needed) ? needed : [];
  const first = properties.filter((name) => required.includes(name)).map((name) => `${name}*`);
  const text = [...first, ...properties.filter((name) => !required.includes(name))].join(', ');
  return text.length <= MAX_SIGNATURE_CHARS
    ? text
    : `${text.slice(0, text.lastIndexOf(', ', MAX_SIGNATURE_CHARS))}, ...`;
}
