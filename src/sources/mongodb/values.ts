import { isJsonObject } from '../../model/json/json-object.ts';
import { splitList, trimEndChars } from '../../model/text/trim-chars.ts';

/** Readers of values. Each gives undefined for a value that cannot be used. */

export const textValue = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

export function textsValue(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return splitList(value);
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item): item is string => typeof item === 'string' && item.trim() !== '');
  return texts.length === 0 ? undefined : [...new Set(texts)];
}

export const objectValue = (value: unknown) => (isJsonObject(value) ? value : undefined);

/** `/x` and `/x/` are the same path there. */
export const pathValue = (value: unknown): string | undefined => {
  const path = trimEndChars(textValue(value)?.trim() ?? '', '/');
  return path === '' ? undefined : path.startsWith('/') ? path : `/${path}`;
};

/** Only `true` is on: the registry's own parts disagree about an absent field. */
export const flagValue = (value: unknown): boolean => value === true;

const STATUSES: readonly string[] = ['active', 'beta', 'deprecated', 'draft'];
/** An unknown status must not make an entity easier to find. */
export const statusValue = (value: unknown): string => {
  const status = String(value).toLowerCase();
  return STATUSES.includes(status) ? status : 'draft';
};

/** Who cannot be told from the field, may not read. */
export const visibilityValue = (value: unknown): string => {
  const said = String(value).toLowerCase();
  if (said === 'public') return 'public';
  return said === 'group' || said === 'group-restricted' ? 'group-restricted' : 'private';
};

/** Times there are ISO 8601 without a zone, and mean UTC. */
export function utcMoment(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = /[Zz]$|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
