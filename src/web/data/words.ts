import type { EntityType } from './api.ts';

/** One, and many. */
const TYPE_WORDS: Readonly<Record<EntityType, readonly [string, string]>> = {
  mcp_server: ['MCP server', 'MCP servers'],
  tool: ['tool', 'tools'],
  virtual_server: ['virtual server', 'virtual servers'],
  a2a_agent: ['A2A agent', 'A2A agents'],
  skill: ['skill', 'skills'],
  package: ['package', 'packages'],
  memory: ['memory', 'memories'],
  document: ['document', 'documents'],
};

export const TYPES = Object.keys(TYPE_WORDS) as readonly EntityType[];

/** A newer server may have more types than this page knows. */
export const typeWord = (type: string, count = 1): string =>
  TYPE_WORDS[type as EntityType]?.[count === 1 ? 0 : 1] ?? type;

interface Named {
  readonly name: string;
  readonly path: string;
  readonly description?: string;
  /** Of a search: the text that matched. */
  readonly match_context?: string | null;
  /** Of a memory. */
  readonly content?: unknown;
}

const NOTHING_SEEN = /^[\s\p{Cf}\p{Cc}]*$/u;
const MAX_TITLE = 90;

/** Whether it has a name that can be seen. Most memories have none: their path is a hash. */
export const hasName = ({ name }: Pick<Named, 'name'>): boolean => !NOTHING_SEEN.test(name);

/** The name, or the beginning of the text of what has no name. The path of what has neither. */
export function shownName(entity: Named): string {
  const { name, path, description, match_context: found, content } = entity;
  if (hasName(entity)) return name;
  const text = [content, description, found].find((one) => typeof one === 'string' && !NOTHING_SEEN.test(one));
  if (typeof text !== 'string') return path;
  return text.length <= MAX_TITLE ? text : `${text.slice(0, MAX_TITLE).trimEnd()}…`;
}

const COUNT = new Intl.NumberFormat('en');
export const countText = (count: number): string => COUNT.format(count);
export const things = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;

/** Small shares keep a digit: 0.4% is not 0%. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 1 ? value.toFixed(1) : Math.round(value)}%`;
}

export const decimal = (value: number): string => {
  const size = Math.abs(value);
  if (size !== 0 && size < 0.0005) return value.toExponential(1);
  return value.toFixed(size >= 100 ? 0 : 3).replace(/\.?0+$/, '');
};

export const dateText = (iso: string): string =>
  new Date(iso).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
