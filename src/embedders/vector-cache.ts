/**
 * Keeps the vectors of texts between runs, so that unchanged text is embedded once. It may drop entries at any time, and its
 * failures must not stop an embedding.
 */
export interface VectorCache {
  /** By hash of the text, without unknown hashes. `embedder` is the id of an embedder. */
  getMany(embedder: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  putMany(embedder: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  close(): Promise<void>;
}
