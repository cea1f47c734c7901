import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { type FieldRules, readFields, type Tell } from './field-account.ts';
import { objectValue, textValue } from './values.ts';

const schemaRule = { to: 'inputSchema', read: objectValue, names: 'parameters' } as const;

/** Tools have had three shapes: with `inputSchema`, with `schema`, and with the parts of a docstring. */
const TOOL_FIELDS: FieldRules = {
  name: { to: 'name', read: textValue },
  description: { to: 'description', read: textValue },
  parsed_description: { to: 'description', read: docstring },
  inputSchema: schemaRule,
  input_schema: schemaRule,
  schema: schemaRule,
  outputSchema: { to: 'outputSchema', read: objectValue, names: 'parameters' },
  title: { to: 'title', read: textValue },
  annotations: { to: 'annotations', read: objectValue },
  _meta: { to: '_meta', read: objectValue },
};

/** `{main, args, returns, raises}`, as the registry splits the docstring of a Python function. */
function docstring(value: unknown): string | undefined {
  if (!isJsonObject(value)) return textValue(value);
  const parts = [value.main, value.args, value.returns, value.raises].map((part) => textValue(part)?.trim() ?? '');
  return parts.some((part) => part !== '') ? parts.filter((part) => part !== '').join('\n') : undefined;
}

/** The names of the tools that an operator has blocked. */
export function blockedTools({ tool_overrides }: JsonObject): readonly string[] {
  if (!isJsonObject(tool_overrides)) return [];
  return Object.entries(tool_overrides).flatMap(([name, rule]) =>
    isJsonObject(rule) && rule.blocked === true ? [name.trim()] : [],
  );
}

/** The tools of a server, without blocked ones. */
export function readTools(list: unknown, blocked: ReadonlySet<string>, tell: Tell): readonly JsonObject[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((given: unknown): JsonObject[] => {
    const tool = typeof given === 'string' ? { name: given } : given;
    const name = isJsonObject(tool) ? textValue(tool.name)?.trim() : undefined;
    if (!isJsonObject(tool) || name === undefined || name === '') {
      tell('tool_list[]', { why: 'The tool has no name.' });
      return [];
    }
    if (blocked.has(name)) {
      tell('tool_list[]', { why: 'The tool is blocked.' });
      return [];
    }
    return [{ ...readFields(tool, TOOL_FIELDS, (field, fate) => tell(`tool_list[].${field}`, inTools(fate))), name }];
  });
}

const inTools = (fate: Parameters<Tell>[1]) => ('to' in fate ? { to: `tools[].${fate.to}` } : fate);
