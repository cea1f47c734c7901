import type { McpServer } from '../model/entity.ts';
import type { ListedTool } from '../model/entity-types/descriptor.ts';
import { isJsonObject } from '../model/json/json-object.ts';
import { promptLikeParts } from '../model/prompt-scan/prompt-like.ts';
import { actionsOfName, CREATE, DELETE, READ, UPDATE } from '../search/text/action-words.ts';
import { analyze } from '../search/text/analyzer.ts';
import { checkDescription, verbOf } from './description.ts';
import type { Finding } from './rules.ts';

/** Everything that can be said without a search. In the order of the tools; findings about the server come first. */
export function checkServer(server: McpServer): readonly Finding[] {
  const { tools } = server;
  const byTool = tools.flatMap((tool) => [...checkDescription(tool), ...checkName(tool), ...checkAnnotations(tool)]);
  return [...checkTexts(server), ...byTool, ...nearTwins(tools)];
}

function checkTexts(server: McpServer): readonly Finding[] {
  return promptLikeParts(server).map(({ field, name, phrase }) => ({
    rule: 'reads-like-instruction',
    ...(field.startsWith('tools.') ? { tool: name } : {}),
    problem: `A text reads like an instruction to the model: "${phrase}".`,
    advice: 'Say what the tool does. A client that scans descriptions may refuse the server.',
  }));
}

/** Words that any tool could have. */
const EMPTY_WORDS = new Set(
  'action api call command data default do exec function handle handler helper input item main misc mcp op operation output process request run task test thing tool util'.split(
    ' ',
  ),
);

const wordsOfName = (name: string): readonly string[] =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\p{L}+/gu) ?? []).map((word) => word.toLowerCase());

function checkName({ name }: ListedTool): readonly Finding[] {
  const words = wordsOfName(name);
  if (words.some((word) => word.length > 1 && !EMPTY_WORDS.has(word) && verbOf(word) === undefined)) return [];
  const problem = `The name '${name}' does not say what the tool works on.`;
  const advice = "Name the action and its object, such as 'create_invoice'.";
  return [{ rule: 'vague-name', tool: name, problem, advice }];
}

function checkAnnotations({ name: tool, annotations }: ListedTool): readonly Finding[] {
  const { readOnlyHint, destructiveHint } = isJsonObject(annotations) ? annotations : {};
  const contradiction = (problem: string): readonly Finding[] => [
    { rule: 'contradictory-annotations', tool, problem, advice: 'Correct the annotation, or rename the tool.' },
  ];
  if (readOnlyHint === true && destructiveHint === true)
    return contradiction('The annotations say that the tool only reads, and that it destroys.');
  const actions = actionsOfName(tool);
  const changes = actions !== 0 && (actions & (CREATE | UPDATE | DELETE)) === actions;
  if (readOnlyHint === true && changes)
    return contradiction('The annotations say that the tool only reads. Its name says that it changes something.');
  if (readOnlyHint === false && destructiveHint === true && actions !== 0 && (actions & READ) === actions)
    return contradiction('The annotations say that the tool destroys. Its name says that it only reads.');
  if (typeof readOnlyHint === 'boolean') return [];
  const problem = 'No annotation says whether the tool only reads.';
  const advice =
    'Set `readOnlyHint`, and for tools that change something `destructiveHint`. Without them, clients ask before each call.';
  return [{ rule: 'no-annotations', tool, problem, advice }];
}

/** The share of terms that two descriptions have in common, from which they are nearly the same. */
const TWIN_SHARE = 0.8;
/** Shorter descriptions have most words in common by chance. */
const MIN_TERMS = 4;

function nearTwins(tools: readonly ListedTool[]): readonly Finding[] {
  const terms = tools.map(({ description }) => new Set(analyze(description)));
  return tools.flatMap(({ name: tool }, at) => {
    const twin = terms.findIndex((other, i) => i < at && areNear(other, terms[at]!));
    if (twin === -1) return [];
    const { name } = tools[twin]!;
    const problem = `The description is nearly that of '${name}'.`;
    const advice = `Say in the first sentence when to use this tool and when '${name}', or join them.`;
    return [{ rule: 'near-twins' as const, tool, problem, advice }];
  });
}

function areNear(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (Math.min(a.size, b.size) < MIN_TERMS) return false;
  let shared = 0;
  for (const term of a) if (b.has(term)) shared++;
  return shared / (a.size + b.size - shared) >= TWIN_SHARE;
}
