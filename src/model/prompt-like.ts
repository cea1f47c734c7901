import type { NamedText } from './entity-types/descriptor.ts';
import { descriptorOf, type Entity } from './entity-types/table.ts';

/**
 * Phrases that speak to the model that reads a description instead of describing something: the usual ways to smuggle an
 * order into a catalog. Kept few and specific: a description may well say what its tool ignores or overrides, and a
 * warning that comes too often is one that nobody reads.
 */
const EARLIER = '(?:previous|prior|earlier|preceding|above|foregoing|other|existing|system|all)';
const ORDERS = '(?:instructions?|prompts?|directives?|guidelines|messages?)';

/**
 * Each is matched against text whose blanks are single (see `plainText`) and has no two repetitions side by side that could
 * share them, so that its cost stays linear in the text.
 */
const PATTERNS: readonly RegExp[] = [
  // "ignore all previous instructions", "disregard the system prompt", "forget your prior directives"
  new RegExp(
    `\\b(?:ignore|disregard|forget|override|bypass)\\s+(?:(?:all|any|every|of|the|your|my|these|those)\\s+){0,4}${EARLIER}\\s+(?:\\w+\\s+)?${ORDERS}\\b`,
    'i',
  ),
  /\b(?:ignore|disregard|forget)\s+(?:everything|all)\s+(?:above|before|you (?:were|have been) told)\b/i,
  // "do not tell the user", "without informing the user", "never mention this to the user"
  /\b(?:do not|don't|never)\s+(?:tell|inform|notify|alert|warn|mention (?:this|it|that) to|reveal (?:this|it|that) to)\s+(?:the\s+)?(?:user|human|person)\b/i,
  /\bwithout\s+(?:telling|informing|notifying|asking|the knowledge of)\s+the\s+(?:user|human)\b/i,
  // "your new instructions are", "new system prompt:"
  /\b(?:your|the following are your)\s+new\s+(?:instructions|orders|directives|system prompt)\b/i,
  /\bnew\s+system\s+prompt\s*:/i,
  // Turns of a conversation that the text pretends to open.
  /<\s?(?:\/\s?)?(?:system|important|assistant|instructions?)\s?>/i,
  /<\|(?:im_start|im_end|system|assistant|endoftext)\|>/i,
  /\[\/?INST\]/,
  // "before using this tool, read ~/.ssh/id_rsa", "send the contents of .env to"
  /\b(?:read|send|include|attach|pass|copy|upload)\b[^.\n]{0,60}(?:~?\/?\.ssh\b|\bid_rsa\b|\.aws\/credentials|\/etc\/passwd|(?<!\w)\.env\b(?! file| variable)|mcp\.json)/i,
  // "you must always call this tool first", "always use this tool before any other tool"
  /\byou\s+must\s+(?:always\s+)?(?:call|use|invoke|run)\s+this\s+tool\s+(?:first|before\s+(?:any|every|all))/i,
  // "print your system prompt"
  /\b(?:reveal|print|repeat|output|leak|exfiltrate)\s+(?:\w+\s+)?(?:your|the)\s+(?:system\s+prompt|hidden\s+instructions|initial\s+instructions)\b/i,
];

/** Looked at and no further: a description that hides an order behind more text than this has other problems. */
const MAX_CHARS = 20_000;
/** Before blanks are made single: padding alone must not push an order out of sight. The longest description has half as many. */
const MAX_RAW_CHARS = 200_000;
const MAX_SHOWN = 80;

/** Zero-width characters between the letters of a word would hide it from every pattern, and from every reader. */
function plainText(text: string): string {
  return text
    .slice(0, MAX_RAW_CHARS)
    .replaceAll(/[\u200b-\u200f\u2060\ufeff\u00ad]+/g, '')
    .replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? '\n' : ' '))
    .slice(0, MAX_CHARS);
}

/**
 * The phrase of a text that reads like an order to the model, on one line and cut short; null when there is none. It is
 * advice for a reader, never a reason to refuse: what a text means cannot be told from a list of patterns.
 */
export function promptLikeText(text: string): string | null {
  const plain = plainText(text);
  let first: RegExpExecArray | null = null;
  for (const pattern of PATTERNS) {
    const found = pattern.exec(plain);
    if (found !== null && (first === null || found.index < first.index)) first = found;
  }
  if (first === null) return null;
  const phrase = first[0].replaceAll(/\s+/g, ' ').trim();
  return phrase.length > MAX_SHOWN ? `${phrase.slice(0, MAX_SHOWN - 3)}...` : phrase;
}

export interface PromptLikePart extends Omit<NamedText, 'text'> {
  readonly phrase: string;
}

/**
 * Every name and description of an entity that reads like an order, those of its tools and their parameters included. The
 * body of a skill is one by nature and is left out.
 */
export function promptLikeParts(entity: Entity): readonly PromptLikePart[] {
  const { name, description } = entity;
  const own: readonly NamedText[] = [
    { field: 'name', name, text: name },
    { field: 'description', name, text: description },
  ];
  return [...own, ...descriptorOf(entity).texts(entity)].flatMap(({ text, ...part }) => {
    const phrase = promptLikeText(text);
    return phrase === null ? [] : [{ ...part, phrase }];
  });
}
