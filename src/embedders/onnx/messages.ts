import type { StoredModel } from '../models/model-store.ts';

/** The data that a worker starts with. */
export interface WorkerSetup {
  readonly model: StoredModel;
  /** The path that `ensureRuntime` gives. */
  readonly runtime: string;
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
  /** Cancels an `embed`. No answer follows. */
  | { readonly type: 'drop'; readonly id: number }
  | { readonly type: 'close' };

export type FromWorker =
  | { readonly type: 'ready' }
  /** The worker could not start. It exits. */
  | { readonly type: 'failed'; readonly message: string; readonly hint: string }
  /** All vectors of one `embed`, concatenated. */
  | { readonly type: 'vectors'; readonly id: number; readonly vectors: Float32Array }
  | { readonly type: 'error'; readonly id: number; readonly message: string };
