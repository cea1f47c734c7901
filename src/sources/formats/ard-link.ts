/** Enough of a page for its head. */
const MAX_HEAD_CHARS = 100_000;

/** The address of a site's ARD manifest, as its page says in `<link rel="ard" href="...">`. Undefined without one. */
export function ardLinkOf(html: string, pageUrl: string): string | undefined {
  const head = withoutComments(html.slice(0, MAX_HEAD_CHARS));
  for (const [tag] of head.matchAll(/<link\s[^<>]*>/gi)) {
    const relations = attributeOf(tag, 'rel')?.toLowerCase().split(/\s+/) ?? [];
    const href = attributeOf(tag, 'href')?.replaceAll('&amp;', '&');
    if (relations.includes('ard') && href !== undefined && URL.canParse(href, pageUrl))
      return new URL(href, pageUrl).href;
  }
  return undefined;
}

function withoutComments(html: string): string {
  let text = '';
  let at = 0;
  for (;;) {
    const start = html.indexOf('<!--', at);
    const end = start === -1 ? -1 : html.indexOf('-->', start + 4);
    if (end === -1) return text + html.slice(at);
    text += html.slice(at, start);
    at = end + 3;
  }
}

function attributeOf(tag: string, name: string): string | undefined {
  const [, double, single, bare] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag) ?? [];
  return double ?? single ?? bare;
}
