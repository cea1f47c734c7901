import type { ChunkJob, ReadInput, ReadLimits, ReadResult } from '../contract/document-reader.ts';

export interface ReadJob {
  readonly id: number;
  readonly input: ReadInput;
  readonly limits: ReadLimits;
  readonly chunk: ChunkJob | undefined;
}

export interface ReadDone {
  readonly id: number;
  readonly result: ReadResult;
}
