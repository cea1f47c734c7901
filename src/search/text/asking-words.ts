/**
 * Words with which people ask, rather than words for what they ask about: "could you please help me find a tool that
 * can ...". They are indexed like all others, since a tool may well be called `help`, but count for less in a query.
 */
export const ASKING_WORDS: readonly string[] = `
please kindly thanks thank hello hi hey
want wanted need needed like let know tell give show help assist assistance provide
looking wondering trying interested able really
find get use using make
`
  .trim()
  .split(/\s+/);
