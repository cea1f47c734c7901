import { isObject, type JsonObject } from '../data/json.ts';
import { fieldsOf } from './schema-fields.ts';

const MAX_DEPTH = 4;

/** A JSON Schema as a list of fields: name, type, whether it is required, and what it means. */
export function SchemaForm({ schema, depth = 0 }: { readonly schema: unknown; readonly depth?: number }) {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return depth === 0 ? <p class="quiet">Takes no parameters.</p> : null;
  return (
    <dl class="fields">
      {fields.map(({ name, schema: field, isRequired }) => (
        <div key={name}>
          <dt>
            <code>
              <bdi>{name}</bdi>
            </code>
            <span class="field-type">{typeText(field)}</span>
            {isRequired && <span class="required">required</span>}
          </dt>
          <dd>
            {typeof field.description === 'string' && <p dir="auto">{field.description}</p>}
            <Choices field={field} />
            {depth < MAX_DEPTH && <SchemaForm schema={inner(field)} depth={depth + 1} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Choices({ field }: { readonly field: JsonObject }) {
  const choices = Array.isArray(field.enum) ? field.enum : [];
  return (
    <>
      {choices.length > 0 && (
        <p class="choices">
          {choices.slice(0, 50).map((choice) => (
            <code key={String(choice)}>{show(choice)}</code>
          ))}
        </p>
      )}
      {field.default !== undefined && (
        <p class="quiet">
          Default: <code>{show(field.default)}</code>
        </p>
      )}
    </>
  );
}

const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)) ?? 'null';

function inner(field: JsonObject): unknown {
  return isObject(field.items) ? field.items : field;
}

function typeText(field: JsonObject): string {
  const { type, items, anyOf, oneOf } = field as Record<string, unknown>;
  if (type === 'array') return `list${isObject(items) && typeof items.type === 'string' ? ` of ${items.type}` : ''}`;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.join(' or ');
  const options = [anyOf, oneOf].find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
  return options === undefined
    ? 'any'
    : options.map((option) => (isObject(option) ? typeText(option) : 'any')).join(' or ');
}
