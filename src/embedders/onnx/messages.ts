import type { StoredModel } from '../model-store.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  readonly model: StoredModel;
  /** See `native-guard.ts`. */
  readonly guard: Int32Array<SharedArrayBuffer>;
}

export type ToWorker =
  | {
      readonly type: 'embed';
      readonly id: number;
      readonly as: 'query' | 'document';
      readonly texts: readonly string[];
    }
  /** Nobody waits for this one any more. No answer comes. */
  | { readonly type: 'drop'; readonly id: number }
  | { readonly type: 'close' };

export type FromWorker =
  | { readonly type: 'ready' }
  /** The worker could not start and ends. */
  | { readonly type: 'failed'; readonly message: string; readonly hint: string }
  /** The vectors of one `embed`, one after the other. */
  | { readonly type: 'vectors'; readonly id: number; readonly vectors: Float32Array }
  | { readonly type: 'error'; readonly id: number; readonly message: string };
