import type { DocumentText } from '../../documents/document-answers.ts';
import type { Documents } from '../../documents/documents.ts';
import { chunkInCollection } from '../../documents/search-collection.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';

/** A model reads a short document whole, and of a long one what is around the passage. */
const MAX_CHARS = 50_000;
const LINES_AROUND = 100;

export type FetchedText = {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly metadata: Record<string, unknown>;
};

/** What ChatGPT's `fetch` answers with, for a chunk or a source of the collection. Throws NOT_FOUND for any other id. */
export async function fetchText(documents: Documents, name: string, id: string): Promise<FetchedText> {
  const { name: collection } = await documents.collection(name);
  const document = await documents.read(id, { max_chars: MAX_CHARS });
  if (!document.collections.includes(collection)) {
    throw new DowserError('NOT_FOUND', `The collection '${collection}' has no document ${showValue(id)}.`, {
      field: 'id',
    });
  }
  const shown = document.truncated ? await around(documents, name, id, document) : document;
  const { source_id, source_name, source_url, path, from_line, to_line, lines, page, to_page, notes } = shown;
  return {
    id,
    title: source_name,
    text: shown.text,
    url: source_url,
    metadata: { ...shown.metadata, source_id, path, from_line, to_line, lines, page, to_page, notes },
  };
}

async function around(documents: Documents, name: string, id: string, whole: DocumentText): Promise<DocumentText> {
  const chunk = await chunkInCollection(documents, name, id).catch(() => null);
  if (chunk === null) return whole;
  const { from_line, to_line } = chunk.position;
  return documents.read(id, {
    from_line: Math.max(1, from_line - LINES_AROUND),
    to_line: Math.min(whole.lines, to_line + LINES_AROUND),
    max_chars: MAX_CHARS,
  });
}
