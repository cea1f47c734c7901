import { isObject } from '../data/json.ts';

const MAX_CHARS = 200_000;
/** A picture inside the text. An SVG in an `img` runs no script. */
const PICTURE = /^data:image\/(?:png|jpeg|webp|gif|svg\+xml);base64,/;

/**
 * The icon of a publisher, or the first letter of the name. An icon at an address is not loaded: its publisher would learn who
 * looks at what.
 */
export function PublisherIcon({ icons, name }: { readonly icons: unknown; readonly name: string }) {
  const list = Array.isArray(icons) ? icons.filter(isObject) : [];
  const src = list.map((icon) => icon.src).find(isPicture);
  if (src !== undefined) return <img class="publisher-icon" src={src} alt="" width="36" height="36" />;
  const [letter] = name.match(/[\p{L}\p{N}]/u) ?? [];
  if (list.length === 0 || letter === undefined) return null;
  return (
    <span class="publisher-icon" aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  );
}

const isPicture = (src: unknown): src is string =>
  typeof src === 'string' && src.length <= MAX_CHARS && PICTURE.test(src.slice(0, 40));
