import { z } from 'zod';
import type { Prerequisites } from '../../model/answer/result.ts';
import { fitsTokens } from '../../model/text/token-count.ts';
import { oneLine } from './fields.ts';

const memberSchema = z.object({ path: z.string(), why: z.string() });

/** What completes the results, in few fields. */
export const setMembersSchema = z.object({
  needed_first: z.array(memberSchema),
  used_with: z.array(memberSchema),
});
export type SetMembers = z.output<typeof setMembersSchema>;

const TITLES = { needed_first: 'Needed first', used_with: 'Used with these' } as const;

/** The members whose lines fit behind a text, likeliest first within each role, and those lines. */
export function fitMembers(
  group: Prerequisites,
  before: string,
  maxTokens = Number.POSITIVE_INFINITY,
): { readonly members: SetMembers; readonly text: string } {
  const members: SetMembers = { needed_first: [], used_with: [] };
  let text = before;
  for (const role of ['needed_first', 'used_with'] as const) {
    for (const { path, why } of group[role]) {
      const title = members[role].length === 0 ? `${TITLES[role]}:\n` : '';
      const longer = `${text}\n${title}- ${oneLine(path)}: ${oneLine(why)}`;
      if (!fitsTokens(longer, maxTokens)) return { members, text };
      text = longer;
      members[role].push({ path, why });
    }
  }
  return { members, text };
}
