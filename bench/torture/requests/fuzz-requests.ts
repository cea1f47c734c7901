import { TOOLSET_PATHS } from '../../../src/mcp/toolset-names.ts';
import type { Random } from '../random.ts';
import { instanceOf, type JsonSchema, type SchemaByRef } from './json-schema.ts';
import { anyValue, damagedText, mutated, strangeText } from './strange-values.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Makes a request of one operation, or of one tool. */
export type RequestMaker = (random: Random) => FuzzRequest;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

interface DocumentedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: JsonSchema }>> };
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

/** A maker for each operation of the OpenAPI document. */
export function restRequests({ paths, components }: OpenApi): readonly RequestMaker[] {
  const byRef: SchemaByRef = (ref) => components.schemas[ref.split('/').at(-1)!] ?? {};
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => restRequest(method.toUpperCase(), path, operation, byRef)),
  );
}

function restRequest(
  method: string,
  template: string,
  { parameters = [], requestBody }: DocumentedOperation,
  byRef: SchemaByRef,
): RequestMaker {
  return (random) => {
    const share = random.pick([0, 0.03, 0.15]);
    const textOf = ({ schema = {} }: Parameter) => {
      const value = mutated(instanceOf(schema, random, byRef), random, share);
      return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    };
    let path = template;
    const query = new URLSearchParams();
    for (const parameter of parameters) {
      if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, () => inUrl(textOf(parameter)));
      else if (parameter.in === 'query' && (parameter.required === true || random.chance(0.3)))
        query.append(parameter.name, textOf(parameter));
    }
    if (random.chance(share)) query.append(strangeText(random), strangeText(random));
    const url = query.size === 0 ? path : `${path}?${query}`;
    if (requestBody === undefined) return { method, path: url, headers: {} };
    const [type, { schema = {} }] = random.pick(Object.entries(requestBody.content));
    const body = mutated(instanceOf(schema, random, byRef), random, share);
    return { method, path: url, ...bodyOf(type, body, random) };
  };
}

/** A URL has no half characters. */
const inUrl = (text: string): string => encodeURIComponent(Buffer.from(text).toString()) || 'x';

function bodyOf(type: string, value: unknown, random: Random): Pick<FuzzRequest, 'headers' | 'body'> {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const asText = (field: unknown) => (typeof field === 'string' ? field : (JSON.stringify(field) ?? ''));
  if (type === 'application/x-www-form-urlencoded') {
    const form = new URLSearchParams(fields.map(([name, field]): [string, string] => [name, asText(field)])).toString();
    return { headers: { 'Content-Type': type }, body: random.chance(0.1) ? damagedText(form, random) : form };
  }
  if (type === 'multipart/form-data') {
    const parts = fields.map(
      ([name, field]) => `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${asText(field)}\r\n`,
    );
    const form = `${parts.join('')}--cut--\r\n`;
    return {
      headers: { 'Content-Type': `${type}; boundary=cut` },
      body: random.chance(0.1) ? damagedText(form, random) : form,
    };
  }
  const json = JSON.stringify(value) ?? '';
  const text = random.chance(0.1) ? damagedText(json, random) : json;
  const headers = { 'Content-Type': random.chance(0.03) ? strangeType(random) : type };
  if (!random.chance(0.03)) return { headers, body: text };
  // Not UTF-8.
  const bytes = Buffer.from(`${text}    `);
  bytes[random.int(bytes.length)] = 0xff;
  return { headers, body: new Uint8Array(bytes) };
}

const strangeType = (random: Random): string =>
  random.pick(['text/plain', 'application/xml', 'multipart/form-data', 'application/json; charset=utf-16', '*/*', ';']);

/** A maker for each tool of the MCP server, and one for messages of the protocol itself. */
export function mcpRequests(tools: readonly ListedTool[]): readonly RequestMaker[] {
  const none: SchemaByRef = () => ({});
  const calls = tools.map(
    ({ name, inputSchema }): RequestMaker =>
      (random) => {
        const share = random.pick([0, 0.03, 0.15]);
        const args = mutated(instanceOf(inputSchema, random, none), random, share);
        return mcpRequest({ method: 'tools/call', params: { name, arguments: args } }, random, share);
      },
  );
  return [...calls, (random) => mcpRequest({ method: random.pick(METHODS), params: anyValue(random) }, random, 0.05)];
}

const METHODS = ['initialize', 'ping', 'tools/list', 'tools/call', 'resources/read', 'prompts/get', 'x'] as const;

function mcpRequest(message: object, random: Random, share: number): FuzzRequest {
  const whole = mutated({ jsonrpc: '2.0', id: random.int(1000), ...message }, random, share / 3);
  const text = JSON.stringify(random.chance(0.02) ? [whole, whole] : whole) ?? '';
  return {
    method: 'POST',
    path: random.pick(Object.values(TOOLSET_PATHS)),
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: random.chance(0.05) ? damagedText(text, random) : text,
  };
}
