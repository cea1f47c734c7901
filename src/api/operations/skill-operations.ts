import { z } from 'zod';
import { STATUSES, VISIBILITIES } from '../../model/entity.ts';
import { pageFacts } from '../../registry/contract/answers.ts';
import { skillRecordSchema } from '../../standards/gateway/skill-record.ts';
import type { OperationDetails } from '../routes/operation.ts';
import { commonOperations } from './common-operations.ts';
import { bodyFields, registeredMessage, text, toggleBody } from './shared-schemas.ts';
import { commaList, flag, listFields, metadataSchema, pathParams } from './wire-fields.ts';

const content = z.string('must be the text of a SKILL.md').max(1_000_000, 'must have at most 1000000 characters');

/** A skill as clients of the MCP gateway registry send it, or its SKILL.md, or both. Fields override the front matter. */
const skillBodySchema = z.looseObject({
  ...bodyFields,
  name: text.describe('Lowercase words joined by single hyphens, at most 64 characters.'),
  description: text.describe('What it does and when to use it, 1 to 1024 characters.'),
  content: content.nullish().describe('The complete SKILL.md. Name and description are then optional.'),
  skill_md_url: text.describe('The address of the SKILL.md. It is read only when its content is asked for.'),
  skill_md_raw_url: text,
  tags: commaList.nullish(),
  version: z.string().max(32, 'must have at most 32 characters').nullish(),
  author: text,
  compatibility: z.string().max(500, 'must have at most 500 characters').nullish(),
  target_agents: commaList.nullish(),
  allowed_tools: commaList.nullish(),
  registry_name: text,
  homepage: text,
  repository: text.describe('Also `repository_url`.'),
  repository_url: text,
});
export type SkillBody = z.output<typeof skillBodySchema>;

const common = commonOperations({
  one: 'a skill',
  record: skillRecordSchema,
  body: skillBodySchema,
  subject: 'skill',
  bodyErrors: ['INVALID_FILE'],
});

export const skillOperations = {
  registerSkill: {
    summary: 'Register a skill',
    description: 'The default path is `/skills/<name>`. A path in use gets status 409 unless `overwrite` is true.',
    body: z.looseObject({
      ...skillBodySchema.shape,
      path: z.string().exactOptional(),
      overwrite: flag.default(false),
    }),
    subject: 'skill',
    responses: { 201: z.object({ ...skillRecordSchema.shape, message: registeredMessage }) },
    errors: ['ALREADY_EXISTS', 'INVALID_FILE', 'STORE_FULL'],
  },
  parseSkillMd: {
    summary: 'Parse a SKILL.md without registering it',
    body: z.object({ content }),
    responses: {
      200: z.object({
        name: z.string(),
        description: z.string(),
        path: z.string().describe('The path it would get.'),
        version: z.string().nullable(),
        author: z.string().nullable(),
        license: z.string().nullable(),
        compatibility: z.string().nullable(),
        tags: z.array(z.string()),
        allowed_tools: z.array(z.string()),
        metadata: metadataSchema,
        body: z.string().describe('The text after the front matter.'),
      }),
    },
    errors: ['INVALID_FILE'],
  },
  checkSkillDuplicates: common.checkDuplicates,
  searchSkills: {
    summary: 'Find skills by substring, with a score',
    description: 'Score: name 0.5, description 0.3, a tag 0.2, metadata 0.1; at most 1.',
    query: z.object({
      q: z.string('must be the text to look for').max(512),
      tags: commaList.optional().describe('Comma-separated: all of these tags. Ignores case.'),
      include_draft: flag.default(false),
      include_deprecated: flag.default(false),
    }),
    responses: {
      200: z.object({
        query: z.string(),
        skills: z.array(
          z.object({
            path: z.string(),
            name: z.string(),
            description: z.string(),
            tags: z.array(z.string()),
            visibility: z.enum(VISIBILITIES),
            is_enabled: z.boolean(),
            status: z.enum(STATUSES),
            relevance_score: z.number().min(0).max(1),
          }),
        ),
        total_count: z.int(),
      }),
    },
    errors: ['EMPTY_SEARCH'],
  },
  listSkills: {
    summary: 'List skills by name',
    query: z.object({
      ...listFields,
      include_disabled: flag.default(false),
      tag: z.string().max(512).optional().describe('Only with this tag. Ignores case.'),
    }),
    responses: { 200: z.object({ skills: z.array(skillRecordSchema), ...pageFacts }) },
  },
  getSkillContent: {
    summary: 'Read the SKILL.md of a skill, or a file beside it',
    description: 'If only its address is stored, it is read there.',
    params: pathParams,
    query: z.object({
      resource: z.string().max(1024).optional().describe('The file to read. Default: `SKILL.md`.'),
    }),
    responses: {
      200: z.object({
        path: z.string(),
        name: z.string(),
        content: z.string(),
        url: z.string().describe('The address of the SKILL.md. Empty if only the text is stored.'),
        encoding: z.string().exactOptional().describe('`base64` for a file that is no text.'),
        digest: z.string().exactOptional().describe('Of another file: `sha256:` and hex.'),
        size: z.int().exactOptional().describe('Of another file, in bytes.'),
      }),
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'SOURCE_UNREACHABLE', 'INVALID_FILE'],
  },
  toggleSkill: { ...common.toggle, body: toggleBody },
  checkSkillTools: {
    summary: 'Check which of the allowed tools of a skill are registered',
    params: pathParams,
    responses: {
      200: z.object({
        all_available: z.boolean(),
        available_tools: z.array(z.string()),
        missing_tools: z.array(z.string()),
        mcp_servers_required: z.array(z.string()).describe('The paths of the servers with these tools.'),
      }),
    },
    errors: ['NOT_FOUND'],
  },
  getSkillHealth: common.health,
  rateSkill: common.rate,
  getSkillRating: common.rating,
  getSkill: common.get,
  putSkill: common.put,
  patchSkill: common.patch,
  deleteSkill: common.delete,
} as const satisfies Record<string, OperationDetails>;
