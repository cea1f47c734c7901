/**
 * Remembers the vectors of texts between runs, so that unchanged text is embedded once. Only ever saves work: it may
 * forget at any time, and trouble with it must not stop an embedding.
 */
export interface VectorCache {
  /** By hash of the text; hashes it does not know are left out. `embedder` is an embedder's id. */
  getMany(embedder: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  putMany(embedder: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  close(): Promise<void>;
}
