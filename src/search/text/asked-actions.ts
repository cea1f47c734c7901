import {
  ACTIONS_BY_WORD,
  type Actions,
  CREATE,
  DELETE,
  EXISTING,
  GET,
  LIST,
  READ,
  RUN,
  SEARCH,
  UPDATE,
} from './action-words.ts';

/** What a query asks for, as far as its words tell. */
export interface AskedActions {
  readonly actions: Actions;
  /** How sure that is, from 0 to 1. */
  readonly certainty: number;
}

const UNKNOWN: AskedActions = { actions: 0, certainty: 0 };

const SENTENCE = /[^.!?\n]+/g;
/** What people and agents write before the verb. */
const LEAD_IN =
  /^(?:please|now|then|also|to|(?:i|we) (?:need|want|must|should|have|would like)(?: to)?|(?:i|we)'d like to|let me|let's|help me(?: to)?|(?:can|could|would) you|how (?:do|can|should) (?:i|we)|how to|(?:find |get |give me |show me |is there )?(?:an?|any|the) (?:tool|server|skill|agent|way) (?:that|which|to)(?: can)?)\s+/;
const QUESTION = /^(?:what|which|who|whose|where|when|how|why|is|are|was|were|did|does|do|has|have|any)\b/;
const OWN = /^(?:my|our|all) /;
/** `the old entry has to go`, `is no longer needed`. */
const UNWANTED =
  /\b(?:get(?:ting)? rid of|(?:should|must|has to|have to|needs? to|can) (?:now )?(?:go|vanish|disappear|be (?:deleted|removed|gone))\b(?! to)|no longer (?:needed|need|wanted|use[ds]?)|not needed any|gone for good)/;
/** Verbs of two words, and nouns that begin like a verb. */
const PHRASES: readonly (readonly [RegExp, Actions])[] = [
  [
    /^(?:merge|pull|change|update|search|check|report|test|build|set|push|post|list)(?: [a-z]+)? (?:requests?|results?|lists?|settings?|notifications?|logs?)\b/,
    0,
  ],
  [/^get rid of\b/, DELETE],
  [
    /^make (?:me )?(?:an?|new) |^(?:set|spin|stand|fire) up\b|^kick off\b|^sign up\b|^(?:write|jot|note) down\b/,
    CREATE,
  ],
  [/^take (?:[a-z]+ ){0,3}?(?:down|off|out)\b|^throw (?:[a-z]+ ){0,3}?(?:away|out)\b|^call off\b/, DELETE],
  [/^(?:re-?open|resolve)\b/, UPDATE | EXISTING],
  [/^(?:shut|turn|switch) (?:[a-z]+ ){0,3}?(?:down|on|off)\b|^hand (?:[a-z]+ )*over\b|^mark (?:[a-z]+ )+as\b/, UPDATE],
  [/^(?:look|dig|hunt) (?:[a-z]+ ){0,2}?(?:through|for)\b|^pick out\b/, SEARCH],
  [/^(?:look|pull|dig) (?:up|at|into|over)\b|^(?:find|work|figure) out\b|^check (?:if|whether)\b/, READ],
  [/^(?:give|hand|get|bring|show|read|pull|fetch|tell) (?:me|us)\b/, READ],
  [/^tell [a-z@#]+ /, CREATE],
];
/** `new ticket for Anna`, but not `new papers on attention` or `new supplier sent an invoice`. */
const NEW_THING = /^new (?:[a-z-]+ ){0,2}[a-z-]*[^s ](?:$| (?:in|on|for|called|named|with|to|at|about)\b)/;

/** `write a new page` */
const NEW_OBJECT = /^[a-z]+ (?:an?(?:other)? new|another) /;

/** Said besides: `match nodes without changing anything`. */
const READ_ONLY = /\bread-only\b|\bwithout (?:changing|editing|modifying|writing|touching)\b/;

/** `make the folder read-only` */
const MAKE = /\bmake\b/;

/** The actions that a query asks for. */
export function actionsAsked(text: string): AskedActions {
  const lower = text.toLowerCase();
  const asked = actionsOfSentences(lower);
  if (!READ_ONLY.test(lower) || MAKE.test(lower)) return asked;
  // `rename the branch without touching its files`, `create a read-only user`: it changes something all the same.
  const changes = asked.actions !== 0 && (asked.actions & (READ | RUN)) === 0;
  return changes ? asked : { actions: READ, certainty: 1 };
}

/** The first sentence that starts with a verb decides, after any lead-in. */
function actionsOfSentences(lower: string): AskedActions {
  const sentences = lower.match(SENTENCE) ?? [];
  let asked = UNKNOWN;
  let isUnwanted = false;
  for (const sentence of sentences) {
    const words = withoutLeadIn(sentence.trim());
    const actions = actionsOfVerb(words);
    if (actions !== 0) return { actions, certainty: 1 };
    isUnwanted ||= UNWANTED.test(words) && !QUESTION.test(words);
    if (asked !== UNKNOWN) continue;
    if (QUESTION.test(words)) asked = { actions: numberOf(words), certainty: 1 };
    else if (sentences.length === 1) asked = askedByNoun(words);
  }
  return isUnwanted ? { actions: DELETE, certainty: 1 } : asked;
}

const MAX_LEAD_INS = 4;

function withoutLeadIn(sentence: string): string {
  let words = sentence;
  for (let count = 0; count < MAX_LEAD_INS && LEAD_IN.test(words); count++) words = words.replace(LEAD_IN, '');
  return words;
}

function actionsOfVerb(words: string): Actions {
  for (const [phrase, actions] of PHRASES) if (phrase.test(words)) return actions;
  if (words.startsWith('new ')) return NEW_THING.test(words) ? CREATE : 0;
  // `reads` as in "a tool that reads files". No verb of the table ends in s.
  const actions = ACTIONS_BY_WORD.get(/^[a-z]+?(?=s?(?![a-z]))/.exec(words)?.[0] ?? '') ?? 0;
  if ((actions & READ) === 0) return NEW_OBJECT.test(words) && (actions & CREATE) !== 0 ? CREATE : actions;
  return actions === SEARCH ? SEARCH : actions | READ;
}

/** Words that end in s and name one thing, or none. */
const NOT_SEVERAL = new Set(
  'this its is was has does as yes news always perhaps his hers ours yours theirs analysis'.split(' '),
);
/** A word that ends in s: several things. */
const isSeveral = (word: string) =>
  word.length > 2 && word.endsWith('s') && !/[su']s$/.test(word) && !NOT_SEVERAL.has(word);
const namesSeveral = (text: string) => text.split(/[^\w'-]|[-'](?!\w)/).some(isSeveral);
/** Where the thing that is asked for ends. */
const END_OF_THING =
  /\b(?:of|on|of|in|for|from|with|to|by|at|about|that|which|who|i|we|you|is|are|was|were|has|have|had|do|does|did|can|could|should|waiting|assigned)\b/;
const ARTICLE = /\b(?:an?|the|this|that) /;

const SEVERAL = LIST | SEARCH;

/** Several things, or one: by the words up to the first preposition or verb. */
function numberOf(words: string): Actions {
  const thing = words.replace(
    /^(?:what|which|who|whose|where|when|how many|how much|how|why|is|are|was|were|did|does|do|has|have|any|all|my|our)\b(?:'s)? ?/,
    '',
  );
  const end = END_OF_THING.exec(thing)?.index ?? thing.length;
  const head = thing.slice(0, end);
  if (namesSeveral(head)) return ARTICLE.test(thing.slice(end)) && /^of\b/.test(thing.slice(end)) ? READ : SEVERAL;
  return /^[a-z]+ $/.test(head) && /^of\b/.test(thing.slice(end)) ? GET : READ;
}

/** A verb that makes a sentence: the query says something, and does not name what it wants. */
const FINITE =
  /\b(?:is|are|was|were|be|am|has|had|will|would|can|could|should|must|he|she|they|does|did|do|don't|doesn't|keeps?|needs?|wants?)\b/;
/** A verb that is not in the table, with its object. */
const ORDER =
  /^[a-z]+ (?:the|an?|my|our|your|his|her|its|their|this|that|these|those|it|them|me|us|him|up|down|off|out)\b/;
/** Verbs whose action the table does not know: who writes them orders something. */
const OTHER_VERBS =
  /^(?:mute|unmute|snooze|ring|page|press|click|type|react|swap|convert|translate|compress|resize|crop|rerank|narrate|sketch|ship|deploy|transcribe|turn|trim|cut|split|join|combine|mark|flag|pin|assign|acknowledge|escalate|notify|email|message|text|ping|share|copy|fork|clone|sign|buy|sell|order|pay|refund|charge|make|build|give|take|bring|keep|lower|raise|increase|reduce|extend|propose|stage|commit|rebase|roll|drain|scan|train|solve|fix|please)\b/;
const RELATIVE = / (?:i|we|that|which|who|what) .*/;
const MAX_NOUN_PHRASE = 8;
const SEVERAL_CERTAINTY = 0.6;
const ONE_CERTAINTY = 0.3;

/** Who only names a thing wants to see it: `my open issues`, `output of a container`, `webhooks set up in the shop`. */
function askedByNoun(words: string): AskedActions {
  const phrase = words.replace(RELATIVE, '');
  const count = phrase.split(/\s+/).length;
  // One word alone may be anything.
  if (count < 2 || count > MAX_NOUN_PHRASE || FINITE.test(phrase)) return UNKNOWN;
  if (OTHER_VERBS.test(words) || (!OWN.test(words) && ORDER.test(words))) return UNKNOWN;
  const actions = numberOf(words);
  if (OWN.test(words) || / of\b/.test(phrase)) return { actions, certainty: 1 };
  return { actions, certainty: actions === SEVERAL ? SEVERAL_CERTAINTY : ONE_CERTAINTY };
}
