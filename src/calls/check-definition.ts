import { canonicalJson } from '../model/definitions.ts';
import type { DowserError } from '../model/errors/errors.ts';
import type { JsonObject } from '../model/json/json-object.ts';
import { showValue } from '../model/parse/parse.ts';
import { callError } from './contract/call-errors.ts';
import type { Backend, FoundTool } from './contract/tool-caller.ts';

/** Throws DRIFTED if the registry, or the agent (`asked`), knows the tool as something else than what was accepted. */
export function checkDefinition(
  { path }: FoundTool,
  { definition, isDrifted }: Backend,
  asked: string | undefined,
): void {
  if (isDrifted) throw drifted(path);
  if (asked === undefined || asked === definition) return;
  throw callError(
    'DRIFTED',
    `The tool ${path} is not as you read it: its definition is ${definition}, not ${showValue(asked)}.`,
    'Read it again with get_details.',
  );
}

/** The definition that the server has of a tool now. Throws DRIFTED unless it is what was accepted. */
export function checkedDefinition(
  { path }: FoundTool,
  { accepted, tool }: Backend,
  tools: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const actual = tools.get(tool);
  if (actual === undefined) {
    throw callError('DRIFTED', `The server no longer has the tool ${showValue(tool)} of ${path}.`, REFRESH);
  }
  if (!COMPARED.every((field) => stated(accepted[field]) === stated(actual[field]))) throw drifted(path);
  return actual;
}

const COMPARED = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'];
/** An entity has an empty description where its server has none. */
const stated = (value: unknown): string => canonicalJson(value === '' ? null : (value ?? null));
const REFRESH = 'The operator can run `dowser refresh`, then `dowser drift` to see and accept the change.';
const drifted = (path: string): DowserError =>
  callError('DRIFTED', `The tool ${path} has changed since it was accepted.`, REFRESH);
