/** The path that a name gets: `My Server` -> `/my-server`. */
export function pathOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
  return `/${slug === '' ? 'server' : slug}`;
}
