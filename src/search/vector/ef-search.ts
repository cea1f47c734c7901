/** How many rows a sketch lets through at least. On MiniLM vectors recall@75 is .9997 among 47 000 rows and among 100 000. */
export const DEFAULT_EF_SEARCH = 1000;
