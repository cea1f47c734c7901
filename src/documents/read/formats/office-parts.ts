import { metadataOf } from '../text/metadata.ts';
import { readXml } from './xml.ts';
import type { ZipArchive } from './zip-archive.ts';

/** Of the memory for a file, for its XML. The text and the parser need the rest. */
export const XML_SHARE = 0.2;

const PROPERTIES: Readonly<Record<string, string>> = {
  'dc:title': 'title',
  'dc:creator': 'author',
  'dc:subject': 'subject',
  'dc:description': 'description',
  'dc:language': 'language',
  'cp:keywords': 'keywords',
};

/** What a DOCX, XLSX or PPTX file says about itself. */
export function officeMetadata(archive: ZipArchive): ReturnType<typeof metadataOf> {
  const found: Record<string, string> = {};
  let field: string | undefined;
  readXml(archive.text('docProps/core.xml') ?? '', {
    open: (tag) => {
      field = PROPERTIES[tag];
    },
    close: () => {
      field = undefined;
    },
    say: (words) => {
      if (field !== undefined) found[field] = `${found[field] ?? ''}${words}`;
    },
  });
  return metadataOf(found);
}

export interface Relation {
  readonly id: string;
  /** The last word of its type, such as `notesSlide`. */
  readonly kind: string;
  /** The path in the archive. */
  readonly path: string;
}

/** The parts that a part of an archive refers to. */
export function relationsOf(archive: ZipArchive, part: string): readonly Relation[] {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const xml = archive.text(`${folder}_rels/${part.slice(folder.length)}.rels`);
  const found: Relation[] = [];
  readXml(xml ?? '', {
    open: (tag, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) => {
      if (tag !== 'Relationship' || mode === 'External') return;
      found.push({ id, kind: type.slice(type.lastIndexOf('/') + 1), path: resolved(folder, target) });
    },
    close: () => {},
    say: () => {},
  });
  return found;
}

function resolved(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  const parts = folder.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
