import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';

type Kind = 'text' | 'object';

interface ParamRule {
  readonly kind: Kind;
  readonly isRequired?: true;
}

const CURSOR = { cursor: { kind: 'text' } } as const;

/** The parameters of the protocol that a client may get wrong. The arguments of a tool are checked by the tool. */
const PARAMS: Readonly<Record<string, Readonly<Record<string, ParamRule>>>> = {
  'tools/list': CURSOR,
  'resources/list': CURSOR,
  'resources/templates/list': CURSOR,
  'prompts/list': CURSOR,
  'tools/call': { name: { kind: 'text', isRequired: true }, arguments: { kind: 'object' } },
  'resources/read': { uri: { kind: 'text', isRequired: true } },
  'resources/subscribe': { uri: { kind: 'text', isRequired: true } },
  'resources/unsubscribe': { uri: { kind: 'text', isRequired: true } },
  'prompts/get': { name: { kind: 'text', isRequired: true }, arguments: { kind: 'object' } },
};

export interface ParamsRefusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly error: { readonly code: number; readonly message: string };
}

/**
 * The answer to a request whose parameters are not those of its method, in a sentence. The library would answer some of them as
 * an internal error, and all of them with the report of its validator. Undefined for any other message.
 */
export function refuseParams(message: unknown): ParamsRefusal | undefined {
  if (!isJsonObject(message)) return undefined;
  const { id, method, params = {} } = message;
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  const wrong = isJsonObject(params)
    ? wrongParam(method, params)
    : `'params' is ${showValue(params)}: must be an object`;
  if (wrong === undefined) return undefined;
  const text = `Invalid parameters of ${method}: ${wrong}.`;
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidParams, message: text } };
}

function wrongParam(method: string, params: JsonObject): string | undefined {
  const rules = { _meta: { kind: 'object' }, ...(Object.hasOwn(PARAMS, method) ? PARAMS[method] : {}) };
  for (const [name, { kind, isRequired }] of Object.entries(rules) as [string, ParamRule][]) {
    const value = params[name];
    if (value === undefined) {
      if (isRequired === true) return `'${name}' is missing`;
    } else if (kind === 'text' ? typeof value !== 'string' : !isJsonObject(value)) {
      return `'${name}' is ${showValue(value)}: must be ${kind === 'text' ? 'text' : 'an object'}`;
    }
  }
  return undefined;
}
