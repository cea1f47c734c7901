import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readQuestions } from '../../test/golden/tools/read-questions.ts';

export const STYLES = ['short', 'long', 'indirect', 'task'] as const;
export const SPLITS = ['dev', 'test'] as const;

const lineSchema = z.object({
  server: z.string().min(1),
  question: z.string().min(1),
  tools: z.array(z.string()).min(1),
  style: z.enum(STYLES),
  named: z.boolean(),
});

/** A question with the tools that answer it. */
export interface ToolQuestion {
  readonly text: string;
  /** The tools that may come first: `/server#tool`, or the path of a stand-alone tool. */
  readonly right: ReadonlySet<string>;
  /** Questions about one server are alike. */
  readonly group: string;
}

export interface CorpusQuestion extends ToolQuestion {
  readonly split: (typeof SPLITS)[number];
  /** The path of the server that is asked about. */
  readonly server: string;
  readonly style: (typeof STYLES)[number];
  /** Whether the question names the product. */
  readonly isNamed: boolean;
}

/** Questions about servers of `mcp_corpus` that no model was trained on. */
export function corpusQuestions(): readonly CorpusQuestion[] {
  return SPLITS.flatMap((split) => {
    const file = new URL(`../../training/questions/${split}.jsonl`, import.meta.url);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => toQuestion(split, lineSchema.parse(JSON.parse(line))));
  });
}

function toQuestion(
  split: CorpusQuestion['split'],
  { server, question, tools, style, named }: z.output<typeof lineSchema>,
): CorpusQuestion {
  const right = new Set(tools.map((tool) => `${server}#${tool}`));
  return { text: question, right, group: server, split, server, style, isNamed: named };
}

/** The labeled questions about the example catalog that it answers. */
export function catalogQuestions(): readonly ToolQuestion[] {
  const answered = readQuestions().filter(({ tools }) => tools.length > 0);
  return answered.map(({ query, tools }) => ({ text: query, right: new Set(tools), group: query }));
}
