import { readXml } from './xml.ts';

interface Style {
  name: string;
  basedOn: string | undefined;
  level: number | undefined;
}

/** `Heading 9` is the deepest. */
const MAX_LEVEL = 9;
const MAX_BASES = 20;

/** The heading level of each paragraph style, by its own outline level, its name or the style it is based on. */
export function headingLevels(xml: string): (styleId: string) => number | undefined {
  const styles = new Map<string, Style>();
  let style: Style | undefined;
  readXml(xml, {
    open(tag, attributes) {
      const value = attributes['w:val'] ?? '';
      if (tag === 'w:style') {
        style = { name: '', basedOn: undefined, level: undefined };
        styles.set(attributes['w:styleId'] ?? '', style);
      } else if (style === undefined) return;
      else if (tag === 'w:name') style.name = value;
      else if (tag === 'w:basedOn') style.basedOn = value;
      else if (tag === 'w:outlineLvl') style.level = outlineLevel(value);
    },
    close(tag) {
      if (tag === 'w:style') style = undefined;
    },
    say: () => undefined,
  });
  return (styleId) => {
    let at: string | undefined = styleId;
    for (let i = 0; at !== undefined && i < MAX_BASES; i++) {
      const found: Style | undefined = styles.get(at);
      const level = found?.level ?? levelByName(found?.name ?? at);
      if (level !== undefined) return level;
      at = found?.basedOn;
    }
    return undefined;
  };
}

/** Outline levels count from 0. The level 9 is body text. */
export function outlineLevel(value: string): number | undefined {
  const level = Number(value) + 1;
  return value !== '' && Number.isInteger(level) && level >= 1 && level <= MAX_LEVEL ? level : undefined;
}

function levelByName(name: string): number | undefined {
  if (/^title$/i.test(name)) return 1;
  const [, level] = /^heading ?([1-9])$/i.exec(name) ?? [];
  return level === undefined ? undefined : Number(level);
}
