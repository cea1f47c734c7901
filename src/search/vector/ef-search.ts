/**
 * How many rows a sketch lets through at least. More follow where a query needs them: on MiniLM vectors recall@75 is .9993
 * among 10 000 and 47 000 rows and .9991 among 100 000 (recall@10 is 1), with 1000 it would be .9997, a tenth of a
 * millisecond later.
 */
export const DEFAULT_EF_SEARCH = 400;
