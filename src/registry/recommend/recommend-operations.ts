import type { Recommendation, RecommendRequest, RespondRequest } from './recommend-schemas.ts';

/** Choices in place of lists. */
export interface RecommendOperations {
  /** One or two options for a need, with alternatives, reasons, and what they need first. */
  recommend(request: RecommendRequest): Promise<Recommendation>;
  /** The same with answers to its questions. Throws NOT_FOUND for a session that is unknown or has expired. */
  recommendRespond(request: RespondRequest): Promise<Recommendation>;
}
