import { partsOf } from './markdown.ts';

const INTRO = `# Quality

How well the rankings answer questions whose right answers are known. Written by \`npm run quality -- DIR\`, where DIR holds
one folder for each set, as [\`dowser eval\`](cli.md#eval) takes them. The sets are public collections of tools, servers and
documents with their questions; they are not part of this project. Everything runs through the same search that every
caller gets, with the default model (dowser-tools-1, 8-bit) and one set of constants for all sets.
`;

const OWN = `## Your own

Put \`corpus.jsonl\`, \`queries.jsonl\` and \`qrels.jsonl\` into a folder and run \`dowser eval FOLDER\`. \`--dump\` keeps the answer to
every query, \`--compare\` says what a change moved, and \`--fail-under ndcg@10=0.7\` makes it a check.
`;

export interface PageParts {
  /** Of the sections, in the order of the page. */
  readonly headings: readonly string[];
  /** What was measured now, by heading. */
  readonly measured: ReadonlyMap<string, readonly string[]>;
  /** The page as it is: what was not measured now stays. */
  readonly before: string;
}

export function qualityPage({ headings, measured, before }: PageParts): string {
  const kept = partsOf(before);
  const sections = headings.flatMap((heading) => {
    const lines = measured.get(heading);
    if (lines !== undefined) return [`## ${heading}\n\n${lines.join('\n').trimEnd()}\n`];
    const old = kept.get(heading);
    return old === undefined ? [] : [`## ${old.trimEnd()}\n`];
  });
  return [INTRO, ...sections, OWN].join('\n');
}
