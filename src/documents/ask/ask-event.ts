import type { ErrorCode } from '../../model/errors/errors.ts';

/** A source in the prompt. */
export interface SourceChunk {
  readonly chunk_id: string;
  readonly text: string;
  readonly source_name: string;
  readonly path: string;
  readonly heading_path: readonly string[];
  readonly position: { readonly from_line: number; readonly to_line: number; readonly page: number | null };
}

/** A source with the number that the answer cites. */
export type NumberedSource<S extends SourceChunk> = S & { readonly number: number };

/**
 * An answer as it arrives: `sources` first, then any number of `delta`, then `done` or `error`. After an error the parts so
 * far are the start of an answer.
 */
export type AskEvent<S extends SourceChunk> =
  | { readonly type: 'sources'; readonly sources: readonly NumberedSource<S>[]; readonly warnings: readonly string[] }
  | { readonly type: 'delta'; readonly text: string }
  | AskDone
  | { readonly type: 'error'; readonly error: string; readonly code: ErrorCode; readonly hint?: string };

/** The end of an answer. */
export interface AskDone {
  readonly type: 'done';
  readonly conversation_id: string;
  /** The model said nothing. */
  readonly empty_response: boolean;
  /** The model that answered. Null: no model was asked, and the text is Dowser's own. */
  readonly model: string | null;
  /** The numbers of the sources that the answer cites. */
  readonly cited: readonly number[];
}
