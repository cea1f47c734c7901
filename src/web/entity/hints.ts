import { fieldsOf } from '../parts/schema-fields.ts';

/** A tool as a server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  /** Of a tool of a virtual server: the tool that answers its calls. */
  readonly backend?: { readonly server: string; readonly tool: string };
}

/** What is weak in a description, and what to write. */
export interface Hint {
  readonly problem: string;
  readonly advice: string;
}

const MIN_CHARS = 24;
const MAX_CHARS = 1000;
const MAX_NAMED = 5;

const VERBS = new Set(
  `accept add analyze answer append apply approve archive ask assign attach authenticate book browse build buy calculate call
  cancel capture change check clear click clone close collect combine commit compare compile complete compress compute connect convert
  copy count create deactivate decode delete deploy describe detect diff disable discover download draw drop edit embed enable
  encode encrypt end estimate evaluate execute expand explain export extract fetch fill filter find finish fix follow fork
  format forward generate get give grep group handle hide identify import index insert inspect install invite invoke join label
  launch link list listen load locate lock log look make manage map mark measure merge modify monitor move navigate notify open
  order parse pause pay perform ping plan play post preview print process produce provide publish pull push put query rank read
  receive recommend record refresh register release reload remove rename render reopen replace reply report request reset
  resolve respond restart restore resume retrieve return review revoke rotate run save scan schedule score search see select
  send set share show sign solve sort split start stop store submit subscribe suggest summarize switch sync take tell test
  think track transcribe transfer transform translate trigger turn undo unlock update upload use validate verify view visit
  wait watch write`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** "Reads", "reading" and "read" are one verb. */
const isVerb = (word: string): boolean =>
  [
    word,
    word.replace(/s$/, ''),
    word.replace(/es$/, ''),
    word.replace(/ies$/, 'y'),
    word.replace(/ing$/, ''),
    word.replace(/ing$/, 'e'),
  ].some((form) => VERBS.has(form));

/** Agents choose by descriptions alone: these are the ways in which one fails them. */
export function hintsFor({ description = '', inputSchema }: ListedTool): readonly Hint[] {
  const text = description.trim();
  const hints: Hint[] = [];
  if (text === '') {
    hints.push({ problem: 'No description.', advice: 'Write what the tool does, to what, and when to use it.' });
  } else if (text.length < MIN_CHARS) {
    hints.push({
      problem: `The description has ${text.length} characters.`,
      advice: 'Add what the tool works on, and what it returns.',
    });
  } else if (text.length > MAX_CHARS) {
    hints.push({
      problem: `The description has ${text.length} characters.`,
      advice: 'Move examples to the parameters. An agent reads every word each time.',
    });
  }
  const words =
    text
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.slice(0, 4) ?? [];
  if (words.length > 0 && !words.some(isVerb)) {
    hints.push({
      problem: 'The description does not begin with a verb.',
      advice: `Begin with what the tool does, such as "Get", "Create" or "Search".`,
    });
  }
  const silent = fieldsOf(inputSchema).filter(({ schema }) => typeof schema.description !== 'string');
  if (silent.length > 0) {
    const names = silent.slice(0, MAX_NAMED).map(({ name }) => name);
    const more = silent.length > MAX_NAMED ? ` and ${silent.length - MAX_NAMED} more` : '';
    hints.push({
      problem: `Parameters without a description: ${names.join(', ')}${more}.`,
      advice: 'Say what each one means, with an example value.',
    });
  }
  return hints;
}
