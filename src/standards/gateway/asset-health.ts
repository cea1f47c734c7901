import { z } from 'zod';
import type { AssetFacts } from './asset-record.ts';

/** The health of one asset, as clients of the MCP gateway registry read it. */
export const assetHealthSchema = z.object({
  path: z.string(),
  healthy: z.boolean().describe('Whether it answered at the last check.'),
  health_status: z.enum(['healthy', 'unhealthy', 'unknown']),
  error: z.string().nullable().describe('Why it did not answer, or why it was not asked.'),
  status_code: z.int().describe('Always 0: nothing is asked now.'),
  response_time_ms: z.number().describe('Always 0.'),
  last_checked_iso: z.string().meta({ format: 'date-time' }).nullable(),
});

export function assetHealth(
  path: string,
  { health_status, health_error, last_checked_at }: AssetFacts,
): z.output<typeof assetHealthSchema> {
  return {
    path,
    healthy: health_status === 'healthy',
    health_status,
    error: health_error,
    status_code: 0,
    response_time_ms: 0,
    last_checked_iso: last_checked_at,
  };
}
