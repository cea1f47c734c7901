import { z } from 'zod';
import type { Unit } from '../entity-parts/unit.ts';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { nonEmpty, otherHit, sharedFields, text } from './fields.ts';
import { cardOf, joined, labeled, makeUnit, textUnits } from './make-units.ts';

export const MAX_BODY_CHARS = 20_000_000;
/** Within the limits of one entity. */
export const MAX_CHUNKS = 15_000;

const whole = z.int().min(0);

/** A part of a document that was read from a file. Characters and lines count in its body. */
const chunkSchema = z.object({
  id: nonEmpty(64),
  /** Absent where it is the characters from `start_char` to `end_char` of the body. */
  text: text(200_000).optional(),
  headings: z.array(text(1024)).max(32).default([]),
  start_char: whole,
  end_char: whole,
  from_line: whole,
  to_line: whole,
  page: whole.optional(),
});

/** A file that a document was read from, by its collection and its path in there. */
const fileSchema = z.object({ collection: nonEmpty(128), path: nonEmpty(4096) });

/** A note on a folder of a collection; the folder '' is the whole of it. It comes with every hit in there. */
const noteSchema = z.object({ folder: text(4096), note: nonEmpty(4000) });

/** A document with this field stands for a collection: its path is `/collections/NAME`. */
const collectionSchema = z.object({
  /** Where its files are. Absent for files that were sent. */
  folder: text(4096).optional(),
  include: z.array(text(1024)).max(200).default([]),
  exclude: z.array(text(1024)).max(200).default([]),
  chunking: z
    .object({ strategy: z.enum(['headings', 'recursive', 'fixed']), max_chars: whole, overlap_chars: whole })
    .optional(),
  notes: z.array(noteSchema).max(1000).default([]),
});

const schema = z.object({
  type: z.literal('document'),
  ...sharedFields,
  name: text(1024).default(''),
  body: text(MAX_BODY_CHARS).default(''),
  source_url: text(2048).optional(),
  format: text(64).optional(),
  files: z.array(fileSchema).max(1000).default([]),
  chunks: z.array(chunkSchema).max(MAX_CHUNKS).default([]),
  collection: collectionSchema.optional(),
  /** Where each page begins in the body. */
  page_starts: z.array(whole).max(20_000).optional(),
});
type Document = z.output<typeof schema>;
export type DocumentPart = Document['chunks'][number];
export type CollectionRecord = NonNullable<Document['collection']>;

/** Where the collection of a name is stored. */
export const collectionPath = (name: string): string => `/collections/${name.toLowerCase()}`;

export const partText = ({ body }: Pick<Document, 'body'>, part: DocumentPart): string =>
  part.text ?? body.slice(part.start_char, part.end_char);

/** The unit of a chunk: `chunk:ID`. */
export const chunkKey = (id: string): string => `chunk:${id}`;

/** What the card of a long document embeds of it. */
const CARD_CHARS = 500;

function readUnits(document: Document): readonly Unit[] {
  const { name, description, tags, body, chunks } = document;
  const opening = body.slice(0, CARD_CHARS);
  const card = cardOf(document, {}, [name, description, opening, labeled('Tags', tags)]);
  const units = chunks.map((part) => {
    const headings = part.headings.join(' > ');
    const content = partText(document, part);
    const title = part.headings.at(-1) ?? card.title;
    const fields = { name: headings, metadata: name, body: content };
    return makeUnit(document, chunkKey(part.id), 'chunk', title, fields, [joined(': ', name, headings), content]);
  });
  return [card, ...units];
}

export const document = {
  ...PLAIN,
  schema,
  role: 'content',
  words: ['document', 'documents'],
  group: 'documents',
  hit: otherHit,
  units: (document) => (document.chunks.length > 0 ? readUnits(document) : textUnits(document, document.body)),
} as const satisfies EntityTypeDescriptor<Document>;
