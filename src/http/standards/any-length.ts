import { MAX_REGISTRY_QUERY_CHARS } from '../../model/query/query.ts';

/**
 * The preset for a text that the presets of the MCP gateway registry do not take, if one of them is the default: other
 * people's clients cannot choose one.
 */
export function anyLength(text: string): { readonly preset?: 'hybrid' } {
  return text.length > MAX_REGISTRY_QUERY_CHARS ? { preset: 'hybrid' } : {};
}
