/**
 * English function words, which are not indexed. Not in the list, so still searchable: `go`, `us`, verbs such as `get`
 * and `find`, and every letter except `a` and `i`. Contractions have no apostrophe, as in the analyzer's terms.
 */
const FUNCTION_WORDS = `
a an the this that these those
i me my mine myself we our ours ourselves you your yours yourself he him his himself she her hers herself
it its itself they them their theirs themselves
am is are was were be been being do does did doing have has had having
will would shall should can could may might must
and or but nor if then else than so because while until although though
of to in on at by for with about as into through from during before after above below between against over under
up down out off again further once here there
what which who whom whose when where why how
all any both each few more most other some such no not only own same too very just also
eg ie etc
dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt cant cannot couldnt shouldnt mustnt
`;

export const STOP_WORDS: ReadonlySet<string> = new Set(FUNCTION_WORDS.trim().split(/\s+/));
