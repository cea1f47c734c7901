import { ACTIONS_BY_WORD, type Actions, CHANGE, CREATE, DELETE, LIST, READ } from '../text/action-words.ts';

/*
 * What a query asks for, and what a tool of a server does, as far as their words tell. The tools of a server are about
 * the same things, so words and vectors hardly tell `create_issue` from `delete_issue`; the action does.
 */

const SENTENCE = /[^.!?\n]+/g;
/** What people and agents write before the verb. */
const LEAD_IN =
  /^(?:please|now|then|also|to|(?:i|we) (?:need|want|must|should|have|would like)(?: to)?|(?:i|we)'d like to|let me|let's|help me(?: to)?|(?:can|could|would) you|how (?:do|can|should) (?:i|we)|how to|(?:find |get |give me |show me |is there )?(?:an?|any|the) (?:tool|server|skill|agent|way) (?:that|which|to)(?: can)?)\s+/;
const QUESTION = /^(?:what|which|who|whose|where|when|how|why|is|are|was|were|did|does|do|has|have|any)\b/;
const SEVERAL = /^(?:(?:which|what|any|my|our|all|the|open|recent|unread) )*(?:[a-z]+ ){0,2}?[a-z]+[^s]s\b/;
const OWN_OR_SEVERAL =
  /^(?:my|our|all) |^(?:[a-z]+ )?[a-z]+[^s]s(?: (?:on|of|in|for|from|with|i|we|that|waiting)\b|$)|^[a-z]+ of /;

/** The actions that a query asks for. The first sentence that starts with a verb decides, after any lead-in. */
function actionsAsked(text: string): Actions {
  const sentences = text.toLowerCase().match(SENTENCE) ?? [];
  let asked = 0;
  for (const sentence of sentences) {
    const words = withoutLeadIn(sentence.trim());
    const actions = actionsOfVerb(words);
    if (actions !== 0) return actions;
    if (asked !== 0) continue;
    const asksForThings = QUESTION.test(words) || (sentences.length === 1 && OWN_OR_SEVERAL.test(words));
    if (asksForThings) asked = SEVERAL.test(words) ? LIST : READ;
  }
  return asked;
}

const MAX_LEAD_INS = 4;

function withoutLeadIn(sentence: string): string {
  let words = sentence;
  for (let count = 0; count < MAX_LEAD_INS && LEAD_IN.test(words); count++) words = words.replace(LEAD_IN, '');
  return words;
}

function actionsOfVerb(words: string): Actions {
  if (words.startsWith('get rid of ')) return DELETE;
  if (/^make (?:me )?(?:an?|new) /.test(words)) return CREATE;
  // `reads` as in "a tool that reads files". No verb of the table ends in s.
  const actions = ACTIONS_BY_WORD.get(/^[a-z]+?(?=s?(?![a-z]))/.exec(words)?.[0] ?? '') ?? 0;
  return (actions & READ) === 0 ? actions : actions | READ;
}

/** In distances from the worst candidate to the best. Measured on test/golden/tools: .776 of the first tools right without, .818 with it. */
const MATCH = 0.1;
const OTHER_CHANGE = -0.05;
const MISMATCH = -0.15;

/** What tools get for their action, see `byScore`. null if the query does not tell what it asks for. */
export function actionShares(text: string): ((does: Actions) => number) | null {
  const asked = actionsAsked(text);
  return asked === 0 ? null : (does) => shareOf(asked, does);
}

function shareOf(asked: Actions, does: Actions): number {
  if (does === 0) return 0;
  if ((asked & does) !== 0) return MATCH;
  const both = asked | does;
  if ((both & ~READ) === 0) return 0;
  return (both & ~CHANGE) === 0 ? OTHER_CHANGE : MISMATCH;
}
