import type { JSONObject } from '@modelcontextprotocol/server';

/** The JSON Schema of an argument. Some clients refuse an array without `items`, and an enum tells a model what it can say. */
export type ArgumentSchema = JSONObject;

export const TEXT: ArgumentSchema = { type: 'string' };
export const YES_NO: ArgumentSchema = { type: 'boolean' };
export const OBJECT: ArgumentSchema = { type: 'object' };
export const DATE: ArgumentSchema = { type: 'string', description: 'YYYY-MM-DD' };
export const TAGS: ArgumentSchema = { type: 'array', items: TEXT };
export const TAG_MATCH: ArgumentSchema = { type: 'string', enum: ['any', 'all'], default: 'any' };
export const SHARE: ArgumentSchema = { type: 'number', minimum: 0, maximum: 1 };

export const wholeFrom1 = (maximum?: number, standard?: number): ArgumentSchema => ({
  type: 'integer',
  minimum: 1,
  ...(maximum === undefined ? {} : { maximum }),
  ...(standard === undefined ? {} : { default: standard }),
});

export const TURNS: ArgumentSchema = {
  type: 'array',
  minItems: 1,
  items: { type: 'object', properties: { role: TEXT, content: TEXT }, required: ['role', 'content'] },
};

export const MODE: ArgumentSchema = { type: 'string', enum: ['semantic', 'exact', 'hybrid'], default: 'semantic' };
