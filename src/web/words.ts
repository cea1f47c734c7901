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

/** Memories may have no name, and a name may have nothing that can be seen. */
export const shownName = ({ name, path }: { readonly name: string; readonly path: string }): string =>
  /^[\s\p{Cf}\p{Cc}]*$/u.test(name) ? path : name;

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
