/*
 * People ask an assistant to remember, to recall and to forget. The tools for that store, search and delete in a memory, and
 * what is remembered says nothing of them: in "remember that the user likes tea", tea is the content.
 */

const LEAD_IN =
  /^(?:please |(?:can|could|would) you (?:please )?|i (?:want|need) you to |i'd like you to |also |and )*/;
const WORDINGS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:remember|memori[sz]e|keep in mind|bear in mind|don't forget|do not forget)(?! (?:to|when|how|where|who|why|what|if|me|us)\b)(?: that\b|:)?/,
    'store in memory',
  ],
  [
    /^(?:what do you (?:still |already )?(?:remember|recall|know)|do you (?:still )?(?:remember|recall)|(?:recall|remember)(?= (?:what|when|how|where|who|why|if)\b)|what did (?:i|we) (?:tell|ask) you(?: to remember)?|remind me (?=what|when|how|where|who|why))/,
    'search memory',
  ],
  [/^forget (?=what\b|that\b|about\b|everything\b|all\b)/, 'delete from memory '],
];

/** The query in the words of the tools of a memory. The same text if it does not ask to remember, recall or forget. */
export function inMemoryWords(text: string): string {
  const lower = text.toLowerCase().replaceAll('’', "'");
  const start = LEAD_IN.exec(lower)![0].length;
  for (const [wording, words] of WORDINGS) {
    const found = wording.exec(lower.slice(start));
    if (found !== null) return `${words}${text.slice(start + found[0].length)}`;
  }
  return text;
}
