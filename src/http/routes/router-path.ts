/** `{name}` -> `:name`, `{name*}/end` -> `:name{.+/end}`; a literal colon is escaped. See `paramsOf` for parameters of the end. */
export function toRouterPath(path: string): string {
  const [, before = path, rest, end = ''] = /^(.*)\/\{(\w+)\*\}(.*)$/.exec(path) ?? [];
  const fixed = before
    .split('/')
    .map((segment) => {
      const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
      if (name !== undefined) return `:${name}`;
      return segment.includes(':') ? `:_{${segment}}` : segment;
    })
    .join('/');
  return rest === undefined ? fixed : `${fixed}/:${rest}{.+${end.replaceAll(/\{\w+\}/g, '[^/]+')}}`;
}
