import type { OutcomeReport, OutcomeRequest } from './outcome-schemas.ts';
import type { Recommendation, RecommendRequest, RespondRequest } from './recommend-schemas.ts';
import type {
  CompareRequest,
  Comparison,
  CompatibilityReport,
  PairRequest,
  Stack,
  StackRequest,
} from './stack-schemas.ts';

/** Choices in place of lists. */
export interface RecommendOperations {
  /** One or two options for a need, with alternatives, reasons, and what they need first. */
  recommend(request: RecommendRequest): Promise<Recommendation>;
  /** The same with answers to its questions. Throws NOT_FOUND for a session that is unknown or has expired. */
  recommendRespond(request: RespondRequest): Promise<Recommendation>;
  /** One choice for each need of a use case, with how they go together. */
  getStack(request: StackRequest): Promise<Stack>;
  /** Entities side by side. Throws NOT_FOUND. */
  compare(request: CompareRequest): Promise<Comparison>;
  /** Whether two entities go together, by their relations. Throws NOT_FOUND. */
  compatible(request: PairRequest): Promise<CompatibilityReport>;
  /** Reports how a choice went, and what was used with it. Throws NOT_FOUND. */
  reportOutcome(request: OutcomeRequest): Promise<OutcomeReport>;
}
