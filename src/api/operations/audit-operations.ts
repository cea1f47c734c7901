import { z } from 'zod';
import type { OperationDetails } from '../routes/operation.ts';

const MAX_RECORDS = 1000;
const LIMIT = `must be a whole number from 1 to ${MAX_RECORDS}`;

const auditRecordSchema = z.object({
  at: z.string().meta({ format: 'date-time' }),
  request: z.string().describe('The id of the request.'),
  who: z.string().describe('The user, `key:NAME`, `local` or `anonymous`.'),
  from: z.string().nullable().describe('The address of the caller. Null for a command on the machine itself.'),
  action: z.string().describe('The operation, the MCP tool, the route or the command.'),
  ids: z.array(z.string()).describe('What it touched, as `type:path`. The first 100.'),
  ids_total: z.int().describe('How many there were.'),
  result: z.string().describe('`done`, the code of an error, or `started` for a write whose end is not recorded.'),
});

export const auditOperations = {
  listAudit: {
    summary: 'List records of the audit log, newest first',
    query: z.strictObject({
      who: z.string().optional(),
      action: z.string().optional(),
      result: z.string().optional().describe('`done`, or the code of an error.'),
      since: z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' }).optional(),
      limit: z.coerce
        .number(LIMIT)
        .int(LIMIT)
        .min(1, LIMIT)
        .max(MAX_RECORDS, LIMIT)
        .default(100)
        .describe('How many records.'),
    }),
    responses: {
      200: z.object({
        enabled: z.boolean().describe('Whether this server records anything.'),
        records: z.array(auditRecordSchema),
      }),
    },
  },
} as const satisfies Record<string, OperationDetails>;
