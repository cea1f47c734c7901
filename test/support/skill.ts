/** A skill as a request sends it. */
export const skill = (path: string, more: object = {}) => ({
  type: 'skill',
  path,
  name: path.slice(1),
  description: 'x',
  ...more,
});
