/** Entities of which only the words matter. */
export const server = (path: string, description: string, more: object = {}) => ({
  type: 'mcp_server',
  path,
  name: path.slice(1),
  description,
  ...more,
});
export const agent = (path: string, description: string, more: object = {}) => ({
  type: 'a2a_agent',
  path,
  name: path.slice(1),
  description,
  ...more,
});
