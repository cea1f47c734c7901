import { parseArgs } from 'node:util';
import { SECTION_NAMES, type SectionName } from './section.ts';

export interface QualityOptions {
  /** The folder with one folder for each set. */
  readonly data: string;
  readonly only: readonly SectionName[];
  /** The maximum number of queries of each kind; null for the number of each section. */
  readonly queries: number | null;
  /** The largest catalog of the section first-tool, in servers; null for all its catalogs. */
  readonly servers: number | null;
  /** The page to write; null for docs/quality.md. */
  readonly out: string | null;
}

export const USAGE = `npm run quality -- DIR [options]

Measures the rankings on labeled sets and writes docs/quality.md. DIR has one folder for each set, with corpus.jsonl,
queries.jsonl and qrels.jsonl; docs/cli.md says what is in them. Vectors are kept in the data folder (DOWSER_DATA).

  --only NAME,NAME  of ${SECTION_NAMES.join(', ')} (default all); the rest of the page stays as it is
  --queries N       the maximum number of queries of each kind, for a quick look; needs --out
  --servers N       leave out catalogs of first-tool with more servers, which take long to embed; needs --out
  --out FILE        write another page than docs/quality.md
`;

/** Throws an error with a sentence for the user. */
export function parseOptions(args: readonly string[]): QualityOptions | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      queries: { type: 'string' },
      servers: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const [data, ...rest] = positionals;
  if (data === undefined || rest.length > 0) throw new Error('Name one folder with a folder for each labeled set.');
  const limits = { queries: toWhole('queries', values.queries), servers: toWhole('servers', values.servers) };
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === null || values.out !== undefined) continue;
    throw new Error(`--${name} is for a quick look: name another page with --out.`);
  }
  return {
    data,
    only: values.only === undefined ? SECTION_NAMES : values.only.split(',').map(toSection),
    ...limits,
    out: values.out ?? null,
  };
}

function toWhole(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text.trim());
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} has '${text}', which is not a whole number above 0.`);
}

function toSection(text: string): SectionName {
  const name = SECTION_NAMES.find((section) => section === text.trim());
  if (name !== undefined) return name;
  throw new Error(`--only has '${text.trim()}'; there are ${SECTION_NAMES.join(', ')}.`);
}
