import { z } from 'zod';
import { CALL_CLASSES } from '../../model/query/call-classes.ts';
import type { OperationDetails } from '../routes/operation.ts';

const jsonObject = z.record(z.string(), z.unknown()).readonly();
const callClass = z.enum(CALL_CLASSES);

const callBody = z.object({
  path: z.string().describe('The path of the tool, such as `/github#get_issue`.'),
  arguments: jsonObject.optional().describe('The arguments of the tool.'),
  definition: z.string().optional().describe('The definition that was read. The call is refused if it has changed.'),
  session: z
    .string()
    .max(64)
    .optional()
    .describe('Calls with the same session share one instance of a server that keeps state.'),
  max_tokens: z.int().min(50).max(100_000).optional().describe('The limit of the answer. Default: 8000.'),
  timeout_s: z.int().min(1).max(600).optional().describe('How long the tool may work, in seconds.'),
  read_only: z.boolean().optional().describe('Refuse a tool that does more than read.'),
});

const callAnswer = z.object({
  result: jsonObject.describe('The result of the tool, as its server sent it.'),
  call: z.object({
    id: z.string().describe('For `POST /api/call/result`.'),
    path: z.string(),
    class: callClass,
    definition: z.string(),
    start_ms: z.number(),
    queue_ms: z.number(),
    ms: z.number(),
    cut: z.boolean().describe('Whether a part of the answer was left out.'),
    repairs: z.array(z.string()).readonly().describe('What was repaired in the request.'),
    warnings: z.array(z.string()).readonly(),
  }),
});

/** Refusals before a call is sent. */
const REFUSALS = ['NOT_FOUND', 'NOT_CALLABLE', 'CLASS_REFUSED', 'FORBIDDEN', 'DRIFTED', 'INVALID_ARGUMENTS'] as const;

export const callOperations = {
  callTool: {
    summary: 'Call a tool of a registered server',
    description:
      'An error of the tool itself is an answer with status 200 and `isError` in the result. Needs the setting `call`.',
    body: callBody,
    raw: true,
    responses: { 200: callAnswer },
    errors: [
      ...REFUSALS,
      'STARTING',
      'UNAVAILABLE',
      'SIGN_IN_NEEDED',
      'TIMEOUT',
      'OUTCOME_UNKNOWN',
      'CANCELLED',
      'RATE_LIMITED',
      'BUSY',
      'INPUT_NEEDED',
      'PROTOCOL',
      'AUDIT_UNAVAILABLE',
    ],
  },
  checkCall: {
    summary: 'Say what a call would do, without calling',
    body: callBody,
    raw: true,
    responses: {
      200: z.object({
        path: z.string(),
        arguments: jsonObject,
        class: callClass,
        definition: z.string(),
        server: z.string().describe('The server that runs the tool.'),
        tool: z.string().describe('The name of the tool there.'),
        starts: z.string().describe('The command or the address, without secrets.'),
        repairs: z.array(z.string()).readonly(),
        warnings: z.array(z.string()).readonly(),
      }),
    },
    errors: REFUSALS,
  },
  preflightCalls: {
    summary: 'Say which tools may be called',
    body: z.object({ paths: z.array(z.string().max(1100)).max(200).readonly() }),
    responses: {
      200: z.object({
        tools: z
          .array(
            z.object({
              path: z.string(),
              class: callClass.nullable().describe('Null: it may not be called.'),
              definition: z.string().nullable(),
              signature: z.string().nullable().describe('The names of its arguments, required ones with a star.'),
              code: z.string().nullable(),
              why: z.string().nullable(),
            }),
          )
          .readonly(),
      }),
    },
    errors: ['NOT_CALLABLE'],
  },
  readCallResult: {
    summary: 'Read a part of an answer that was cut',
    description: 'Answers are kept for ten minutes, each for its caller.',
    body: z.object({
      id: z.string(),
      from_char: z.int().optional(),
      max_tokens: z.int().optional(),
    }),
    raw: true,
    responses: {
      200: z.object({
        text: z.string(),
        block: jsonObject.optional().describe('A block that was too large, as it is.'),
        next: z.number().nullable().describe('Where the next part begins. Null at the end.'),
        total: z.number(),
      }),
    },
    errors: ['NOT_FOUND', 'NOT_CALLABLE'],
  },
  listUpstreams: {
    summary: 'List the servers that run for calls',
    responses: {
      200: z.object({
        upstreams: z
          .array(
            z.object({
              path: z.string(),
              state: z.enum(['starting', 'ready', 'ending', 'paused']),
              transport: z.string().nullable(),
              pid: z.number().nullable(),
              in_flight: z.number(),
              calls: z.number(),
              retry_after: z.number().nullable(),
            }),
          )
          .readonly(),
      }),
    },
  },
  stopUpstreams: {
    summary: 'End the servers that run for calls',
    body: z.object({ path: z.string().optional().describe('Only those of this server.') }),
    responses: { 200: z.object({ stopped: z.number() }) },
  },
} as const satisfies Record<string, OperationDetails>;
