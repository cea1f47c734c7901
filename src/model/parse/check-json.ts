import { DowserError } from '../errors/errors.ts';
import { beyondLimit, LIMITS } from './limits.ts';

const SCALARS: readonly string[] = ['string', 'number', 'boolean', 'undefined'];

/** A value that is being visited, and the rest of its children. */
interface Level {
  readonly value: object;
  readonly path: string;
  readonly keys: readonly string[] | null;
  at: number;
}

/**
 * Stored values must be JSON, and small enough to be worked on at once. Nothing is copied or parsed before this check, and it
 * ends at the first limit.
 */
export function checkJson(entity: object): void {
  const above = new Set<object>();
  const levels: Level[] = [];
  let values = 0;
  const enter = (value: object, path: string): void => {
    if (levels.length >= LIMITS.entity_depth.max || above.has(value)) throw tooDeep(path);
    const list = Array.isArray(value);
    const keys = list ? null : Object.keys(value);
    const size = keys?.length ?? (value as readonly unknown[]).length;
    values += size;
    const name = path === '' ? 'The entity' : `'${path}' of the entity`;
    const field = path === '' ? undefined : path;
    if (list && size > LIMITS.json_items.max) throw beyondLimit('json_items', `${name} has ${size} items`, { field });
    if (!list && size > LIMITS.json_fields.max)
      throw beyondLimit('json_fields', `${name} has ${size} fields`, { field });
    if (values > LIMITS.entity_values.max) {
      const message = 'The entity has too many values';
      throw beyondLimit('entity_values', message, { field });
    }
    above.add(value);
    levels.push({ value, path, keys, at: 0 });
  };
  enter(entity, '');
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { value, path, keys } = level;
    const key = keys === null ? String(level.at) : keys[level.at];
    if (key === undefined || (keys === null && level.at >= (value as readonly unknown[]).length)) {
      above.delete(value);
      levels.pop();
      continue;
    }
    level.at++;
    const item = (value as Readonly<Record<string, unknown>>)[key];
    if (item === null || SCALARS.includes(typeof item)) continue;
    const place = path === '' ? key : `${path}.${key}`;
    if (typeof item !== 'object') {
      const message = `'${place}' of the entity is a ${typeof item}, which is not allowed in JSON.`;
      throw new DowserError('INVALID_REQUEST', message, { field: place });
    }
    enter(item, place);
  }
}

function tooDeep(path: string): DowserError {
  const field = path.split('.').slice(0, 3).join('.');
  return beyondLimit('entity_depth', `'${field}' of the entity nests too deep or contains itself`, { field });
}

/** Roughly the length of a value as JSON, counted up to `max`. The value has passed `checkJson`, or is as shallow. */
export function jsonChars(value: unknown, max: number): number {
  let chars = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && chars <= max) {
    const item = open.pop();
    if (typeof item === 'string') chars += item.length + 3;
    else if (item === null || typeof item !== 'object') chars += 4;
    else if (Array.isArray(item)) for (const one of item) open.push(one);
    else
      for (const [key, one] of Object.entries(item)) {
        chars += key.length + 4;
        open.push(one);
      }
  }
  return chars;
}
