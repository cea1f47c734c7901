/** Identifies a vector space. Vectors of two embedders are never compared. */
export interface EmbedderIdentity {
  /** `provider/model/dimensions` */
  readonly id: string;
  readonly dimensions: number;
}
