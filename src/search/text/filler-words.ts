/**
 * Words of a request that do not describe its topic: "could you please help me find a tool that can ...".
 * They are indexed, because a tool may be called `help`, but they count less in a query.
 */
export const FILLER_WORDS: readonly string[] = `
please kindly thanks thank hello hi hey
want wanted need needed like let know tell give show help assist assistance provide
looking wondering trying interested able really
find get use using make
`
  .trim()
  .split(/\s+/);
