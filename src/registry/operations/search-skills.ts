import type { Store } from '../../engines/store.ts';
import type { Skill } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { foldTag } from '../../model/query/filter.ts';
import { flattenMetadata } from '../../model/text/metadata-text.ts';
import type { Scored } from '../contract/answers.ts';
import { type SkillQuery, skillQuerySchema } from '../contract/entity-operations.ts';
import { type EntityRows, folded } from '../view/entity-view.ts';
import { scoreRecords } from '../view/scan-records.ts';
import { hasTags } from './list.ts';

/** The weight of a match in each field, as in the MCP gateway registry. They add up to 1.1; a score is never above 1. */
const WEIGHTS = { name: 0.5, description: 0.3, tags: 0.2, metadata: 0.1 } as const;

function metadataOf(skill: Skill): string {
  const { author = '', version = '' } = skill;
  return `${author} ${version} ${flattenMetadata(skill.metadata)}`;
}

/** Looks for the whole query as one substring. Each field counts once. */
function skillScore(skill: Skill, needle: string): number {
  const has = (text: string) => folded(text).includes(needle);
  const score =
    (has(skill.name) ? WEIGHTS.name : 0) +
    (has(skill.description) ? WEIGHTS.description : 0) +
    (skill.tags.some(has) ? WEIGHTS.tags : 0) +
    (has(metadataOf(skill)) ? WEIGHTS.metadata : 0);
  return Math.min(1, score);
}

export async function searchSkills(store: Store, view: EntityRows, asked: SkillQuery): Promise<readonly Scored[]> {
  const query = parseWith(skillQuerySchema, asked, 'search for skills');
  const needle = folded(query.query.trim());
  if (needle === '') {
    throw new DowserError('EMPTY_SEARCH', 'The search for skills has no text.', {
      field: 'q',
      hint: 'Send the text to look for as q.',
    });
  }
  const tags = query.tags.map(foldTag);
  const rows = (await view.rows('skill')).filter(
    (row) =>
      row.is_enabled &&
      (row.status !== 'draft' || query.include_draft) &&
      (row.status !== 'deprecated' || query.include_deprecated) &&
      row.haystack.includes(needle) &&
      hasTags(row, tags),
  );
  return scoreRecords(store, rows, (entity) => skillScore(entity as Skill, needle));
}
