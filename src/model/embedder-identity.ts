/** What tells two vector spaces apart. Part of an index's identity: vectors of two embedders are never compared. */
export interface EmbedderIdentity {
  /** `provider/model/dimensions` */
  readonly id: string;
  readonly dimensions: number;
}
