import { z } from 'zod';

export const OUTCOMES = ['success', 'failure', 'replaced', 'pending'] as const;

const name = z.string().min(1, 'must not be empty').max(1100);

export const outcomeRequestSchema = z.strictObject({
  query_id: z.string().max(64).optional().describe('The recommendation it belongs to, if there was one.'),
  chosen_tool: name.describe('A path, or an id such as `tool:/github#create_issue`.'),
  outcome: z.enum(OUTCOMES, `must be one of ${OUTCOMES.join(', ')}`),
  used_with: z.array(name).max(10, 'must name at most ten').readonly().default([]).describe('What was used with it.'),
});
/** A report on the use of a tool: how it went, and what was used with it. */
export type OutcomeRequest = Readonly<z.input<typeof outcomeRequestSchema>>;

export const outcomeReportSchema = z.object({
  counted: z.int().describe('The pairs that were counted.'),
  withdrawn: z.int().describe('The earlier reports of this caller that were taken back.'),
  warnings: z.array(z.string()),
});
/** What became of a report on the use of tools. */
export type OutcomeReport = z.output<typeof outcomeReportSchema>;
