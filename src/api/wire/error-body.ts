import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, type ErrorDetails } from '../../model/errors/errors.ts';

/** Every field of `details`. docs/errors.md has a row for each, word for word. */
const detailFields = {
  subject: z.string().describe('What was checked, such as `search request` or `entity`.'),
  value: z.string().describe('The rejected value as JSON, cut to 80 characters. Absent where the field is missing.'),
  expected: z.string().describe('What the value must be, such as `must be from 1 to 50`.'),
  allowed: z.array(z.string()).describe('The allowed values.'),
  min: z.number().describe('The lowest allowed number, length or size.'),
  max: z.number().describe('The highest allowed number, length, size or depth.'),
  did_you_mean: z.string().describe('The name that was probably meant.'),
  more_problems: z.int().describe('How many more problems the same input has.'),
  line: z.int().describe('The line where a text stops being JSON, counted from 1.'),
  column: z.int().describe('The column where a text stops being JSON, counted from 1.'),
  pid: z.int().describe('The process that locks the data folder.'),
  data_dir: z.string().describe('The locked data folder.'),
  revision: z.int().describe('The last write that the database has.'),
  last_revision: z.int().describe('The last write that was acknowledged.'),
  reason: z.string().describe('The error code of the operating system or of npm, such as `ENOSPC`.'),
  scope: z
    .string()
    .describe(
      'The scope that the caller lacks: `read`, `write`, `admin`, `metrics`, `call:read`, `call:write` or `call:destructive`.',
    ),
  retry_after: z.int().describe('Seconds to wait before the next request, as in the `Retry-After` header.'),
  docs: z.string().describe('Where the HTTP API documents its requests.'),
  retryable: z.boolean().describe('Of a call: whether it can be repeated without harm, and may succeed.'),
  example: z.record(z.string(), z.unknown()).describe('Of a call: arguments that fit the schema of its tool.'),
  upstream_code: z.int().describe('Of a call: the code of the JSON-RPC error of its server.'),
} satisfies { [K in keyof Required<ErrorDetails>]: z.ZodType<Required<ErrorDetails>[K]> };

export const errorBodySchema = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().describe('A sentence for people, with the offending value.'),
    hint: z.string().optional().describe('What to do next.'),
    field: z.string().optional().describe('The field at fault, as a dot path.'),
    details: z.object(detailFields).partial().optional().describe('The facts of the error, as far as they apply.'),
  }),
  detail: z.string().describe('The message again, where clients of the MCP gateway registry look for it.'),
});
