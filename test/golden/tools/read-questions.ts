import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Entity, parseEntity } from '../../../src/model/entity.ts';
import { toolsOf } from '../../../src/model/entity-types/table.ts';

const CATALOG = new URL('../../../examples/catalog/', import.meta.url);
const FILES = ['mcp-servers.jsonl', 'virtual-servers.jsonl', 'tools.jsonl'] as const;

const labels = z.array(z.string().startsWith('/')).readonly();

const questionSchema = z.strictObject({
  query: z.string().trim().min(1),
  /** Every tool that is a right first answer, in no order; empty when the catalog has none. */
  tools: labels,
  /** Tools that must not come first. */
  not: labels.default([]),
  why: z.string().min(1),
});
export type Question = z.infer<typeof questionSchema>;

/** What a search without any `include_` option shows. */
const isShown = ({ status, is_enabled }: Entity): boolean =>
  is_enabled && status !== 'draft' && status !== 'deprecated';

/** Paths as a search shows them: `/server#tool`, or the path of a stand-alone tool. None for what it hides. */
export function toolPathsOf(entity: Entity): readonly string[] {
  if (!isShown(entity)) return [];
  return entity.type === 'tool' ? [entity.path] : toolsOf(entity).map(({ name }) => `${entity.path}#${name}`);
}

const linesOf = (file: URL): readonly string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

/** The paths of all tools of the example catalog. */
export function readToolPaths(): ReadonlySet<string> {
  const lines = FILES.flatMap((file) => linesOf(new URL(file, CATALOG)));
  return new Set(lines.flatMap((line) => toolPathsOf(parseEntity(JSON.parse(line)).entity)));
}

/** Throws when the line has another shape, names an unknown or hidden tool, or calls one tool both right and wrong. */
export function parseQuestion(line: string, toolPaths: ReadonlySet<string>): Question {
  const question = questionSchema.parse(JSON.parse(line));
  const all = [...question.tools, ...question.not];
  const unknown = all.filter((path) => !toolPaths.has(path));
  if (unknown.length > 0) throw new Error(`The catalog shows no tool ${unknown.join(', ')}: ${question.query}`);
  const repeated = all.filter((path, i) => all.indexOf(path) !== i);
  if (repeated.length > 0) throw new Error(`Label ${repeated.join(', ')} only once: ${question.query}`);
  return question;
}

export function readQuestions(): readonly Question[] {
  const toolPaths = readToolPaths();
  return linesOf(new URL('questions.jsonl', import.meta.url)).map((line) => parseQuestion(line, toolPaths));
}
