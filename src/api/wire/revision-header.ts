/** The last write that an answer includes, where several nodes share a record. Send it with the next request to read your writes. */
export const REVISION_HEADER = 'Dowser-Revision';

/** The number of a write. Numbers of two epochs are never compared: a record that was restored from a backup begins a new one. */
export interface SentRevision {
  /** Null: that of the node which is asked. */
  readonly epoch: string | null;
  readonly seq: number;
}

export const printRevision = (epoch: string, seq: number): string => `${epoch}.${seq}`;

/** Null for a text that is no revision. */
export function readRevision(text: string): SentRevision | null {
  const [, epoch, seq] = /^(?:([0-9a-f]{1,64})\.)?(\d{1,15})$/.exec(text) ?? [];
  return seq === undefined ? null : { epoch: epoch ?? null, seq: Number(seq) };
}
