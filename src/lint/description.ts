import { isJsonObject, type JsonObject } from '../model/json/json-object.ts';
import type { Finding } from './rules.ts';

/** What is read of a tool here, as a server lists it. The schemas of others have any shape. */
export interface DescribedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** What is not understood has no parameters. */
export function parametersOf(schema: unknown): readonly Parameter[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties).map(([name, field]) => ({
    name,
    schema: isJsonObject(field) ? field : {},
    isRequired: required.has(name),
  }));
}

const MIN_CHARS = 24;
const MAX_CHARS = 1000;
const MAX_NAMED = 5;

const VERBS = new Set(
  `accept add analyze answer append apply approve archive ask assign attach authenticate book browse build buy calculate call
  cancel capture change check clear click clone close collect combine commit compare compile complete compress compute connect convert
  copy count create deactivate decode delete deploy describe detect diff disable discover download draw drop echo edit embed enable
  encode encrypt end estimate evaluate execute expand explain export extract fetch fill filter find finish fix follow fork
  format forward generate get give grep group handle hide identify import index insert inspect install invite invoke join label
  launch link list listen load locate lock log look make manage map mark measure merge modify monitor move navigate notify open
  order parse pause pay perform ping plan play post preview print process produce provide publish pull push put query rank read
  receive recommend record refresh register release reload remove rename render reopen replace reply report request reset
  resolve respond restart restore resume retrieve return review revoke rotate run save scan schedule score search see select
  send set share show sign simulate solve sort split start stop store submit subscribe suggest summarize switch sync take tell test
  think toggle track transcribe transfer transform translate trigger turn undo unlock update upload use validate verify view visit
  wait watch write`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** "Reads", "reading" and "read" are one verb. */
const formsOf = (word: string): readonly string[] => [
  word,
  word.replace(/s$/, ''),
  word.replace(/es$/, ''),
  word.replace(/ies$/, 'y'),
  word.replace(/ing$/, ''),
  word.replace(/ing$/, 'e'),
];

/** `read` for "Reads" and "reading". Undefined if the word is no verb that tools begin with. */
export const verbOf = (word: string): string | undefined => formsOf(word.toLowerCase()).find((form) => VERBS.has(form));

/** Agents choose by descriptions alone: these are the ways in which one fails them. */
export function checkDescription({ name: tool, description = '', inputSchema }: DescribedTool): readonly Finding[] {
  const text = description.trim();
  const findings: Finding[] = [];
  if (text === '') {
    const advice = 'Write what the tool does, to what, and when to use it.';
    findings.push({ rule: 'no-description', tool, problem: 'No description.', advice });
  } else if (text.length < MIN_CHARS) {
    const problem = `The description has ${text.length} characters.`;
    const advice = 'Add what the tool works on, and what it returns.';
    findings.push({ rule: 'short-description', tool, problem, advice });
  } else if (text.length > MAX_CHARS) {
    const problem = `The description has ${text.length} characters.`;
    const advice = 'Move examples to the parameters. An agent reads every word each time.';
    findings.push({ rule: 'long-description', tool, problem, advice });
  }
  const words = text.match(/[A-Za-z]+/g)?.slice(0, 4) ?? [];
  if (words.length > 0 && words.every((word) => verbOf(word) === undefined)) {
    const problem = 'The description does not begin with a verb.';
    const advice = 'Begin with what the tool does, such as "Get", "Create" or "Search".';
    findings.push({ rule: 'no-verb', tool, problem, advice });
  }
  const silent = parametersOf(inputSchema).filter(({ schema }) => typeof schema.description !== 'string');
  if (silent.length > 0) {
    const names = silent.slice(0, MAX_NAMED).map(({ name }) => name);
    const more = silent.length > MAX_NAMED ? ` and ${silent.length - MAX_NAMED} more` : '';
    const problem = `Parameters without a description: ${names.join(', ')}${more}.`;
    findings.push({
      rule: 'silent-parameters',
      tool,
      problem,
      advice: 'Say what each one means, with an example value.',
    });
  }
  return findings;
}
