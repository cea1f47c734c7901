import { MAX_BODY_CHARS, MAX_CHUNKS } from '../../model/entity-types/document.ts';
import { chunkDocument } from '../chunk/chunk-document.ts';
import type { ChunkOptions } from '../contract/document-chunk.ts';
import { isReadFailure, type ReadResult } from '../contract/document-reader.ts';
import { type Chunking, type FileContent, MAX_WARNING_CHARS, MAX_WARNINGS } from '../contract/document-requests.ts';

/** Why a file has no content here: a code and a sentence. */
export interface Unreadable {
  readonly code: string;
  readonly message: string;
}

const MAX_TITLE_CHARS = 1024;
const MAX_HEADINGS = 32;

export const chunkOptions = ({ strategy, max_chars, overlap_chars }: Chunking): ChunkOptions => ({
  strategy,
  maxChars: max_chars,
  overlapChars: overlap_chars,
});

/** The content of a file that was read. A reader that was asked for chunks has cut it already. */
export function toContent(id: string, result: ReadResult, chunking: Chunking): FileContent | Unreadable {
  if (isReadFailure(result)) return { code: result.failed, message: result.message };
  const { title, format, text, pageStarts, metadata, warnings } = result;
  if (text.length > MAX_BODY_CHARS) return tooLarge(`The text has ${text.length} characters`, MAX_BODY_CHARS);
  const chunks = result.chunks ?? chunkDocument(id, result, chunkOptions(chunking));
  if (chunks.length > MAX_CHUNKS) return tooLarge(`The text has ${chunks.length} chunks`, MAX_CHUNKS);
  if (chunks.length === 0) return { code: 'no_text', message: 'The file has no text.' };
  return {
    title: title.slice(0, MAX_TITLE_CHARS),
    format,
    text,
    chunks: chunks.map(({ id, text: own, headingPath, position }) => ({
      id,
      ...(own === text.slice(position.startChar, position.endChar) ? {} : { text: own }),
      headings: headingPath.slice(0, MAX_HEADINGS).map((heading) => heading.slice(0, MAX_TITLE_CHARS)),
      start_char: position.startChar,
      end_char: position.endChar,
      from_line: position.fromLine,
      to_line: position.toLine,
      ...(position.page === undefined ? {} : { page: position.page }),
    })),
    ...(pageStarts === undefined ? {} : { page_starts: [...pageStarts] }),
    metadata: { ...metadata },
    warnings: warnings.slice(0, MAX_WARNINGS).map((warning) => warning.slice(0, MAX_WARNING_CHARS)),
  };
}

const tooLarge = (what: string, max: number): Unreadable => ({
  code: 'too_large',
  message: `${what}; a document may have ${max}. Split the file.`,
});

export const isUnreadable = (content: FileContent | Unreadable): content is Unreadable => 'code' in content;
