import { z } from 'zod';
import { cursorSchema, type Skill } from '../../model/entity.ts';
import { MAX_RESULTS } from '../../model/query/query.ts';
import { wholeNumber } from '../../model/query/query-fields.ts';
import { ellipsed } from '../../model/text/token-count.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { defineTool } from '../catalog/mcp-tool.ts';
import { findEntity } from '../catalog/need-entity.ts';
import { listSkillPage, skillUri } from '../catalog/skill-pages.ts';
import { instructionWarnings, maxTokensField, oneLine, queryField, warningsField } from '../items/fields.ts';
import { fitItems } from '../items/fit-items.ts';

const MAX_LISTED = 100;

const input = z.strictObject({
  query: queryField.optional().describe('Only matching skills, best first. Without it: all, by path.'),
  limit: wholeNumber(1, MAX_LISTED)
    .default(20)
    .describe(`How many, 1 to ${MAX_LISTED}; with a query at most ${MAX_RESULTS}.`),
  cursor: cursorSchema.optional().describe('`next_cursor` of the previous page.'),
  max_tokens: maxTokensField.optional(),
});

const output = z.object({
  skills: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      description: z.string(),
      tags: z.array(z.string()),
      version: z.string().exactOptional(),
      uri: z.string().exactOptional().describe('For skills/get and resources/read.'),
    }),
  ),
  next_cursor: z.string().exactOptional(),
  dropped: z.int().describe('Left out to fit max_tokens; the next page begins with them.'),
  warnings: warningsField,
});

export const listSkills = defineTool({
  name: 'list_skills',
  title: 'List skills',
  right: 'read',
  description: 'List the registered agent skills, or those that match a query. Read one with get_skill_content.',
  input,
  output,
  async run(catalog, { query, limit, cursor, max_tokens }) {
    const asked = (query ?? '').trim();
    const paged = asked === '';
    const { skills, warnings, next } = paged
      ? await pageOf(catalog, limit, cursor)
      : await searched(catalog, asked, limit);
    const notes = skills.flatMap(({ path, description }) => instructionWarnings(path, description));
    const { text, dropped } = fitItems(
      skills.map(({ name, path, description }) => ({ item: { name, kind: 'skill' as const, path }, description })),
      {
        detail: 'brief',
        opening: skills.length === 0 ? 'No matching skill.' : '',
        warnings: [...warnings, ...notes],
        ...(max_tokens === undefined ? {} : { maxTokens: max_tokens }),
      },
    );
    const shown = skills.slice(0, skills.length - dropped).map(toListed);
    // The next page begins with the dropped skills. One that does not fit at all is skipped, or paging would not end.
    const stuck =
      paged && dropped > 0 && shown.length === 0
        ? [`${skills[0]!.path} is too long for max_tokens and was skipped.`]
        : [];
    const after =
      paged && dropped > 0 ? (await listSkillPage(catalog, Math.max(1, shown.length), cursor)).cursor : next;
    const structured = { skills: shown, dropped, warnings: [...warnings, ...notes, ...stuck] };
    return { structured: after === undefined ? structured : { ...structured, next_cursor: after }, text };
  },
});

interface Listing {
  readonly skills: readonly Skill[];
  readonly warnings: readonly string[];
  readonly next?: string;
}

async function pageOf(catalog: Catalog, limit: number, cursor?: string): Promise<Listing> {
  const page = await listSkillPage(catalog, limit, cursor);
  return { skills: page.skills, warnings: [], ...(page.cursor === undefined ? {} : { next: page.cursor }) };
}

async function searched(catalog: Catalog, query: string, limit: number): Promise<Listing> {
  const answer = await catalog.search({ query, entity_types: ['skill'], max_results: Math.min(limit, MAX_RESULTS) });
  const skills: Skill[] = [];
  for (const { path } of answer.skills) {
    const entity = await findEntity(catalog, ['skill'], path);
    if (entity?.type === 'skill') skills.push(entity);
  }
  return { skills, warnings: answer.warnings };
}

const DESCRIPTION_CHARS = 300;

function toListed(skill: Skill): z.output<typeof output>['skills'][number] {
  const { name, path, description, tags, version } = skill;
  const uri = skillUri(skill);
  return {
    name,
    path,
    description: ellipsed(oneLine(description), DESCRIPTION_CHARS),
    tags,
    ...(version === undefined ? {} : { version }),
    ...(uri === null ? {} : { uri }),
  };
}
