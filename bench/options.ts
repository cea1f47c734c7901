import { parseArgs } from 'node:util';
import { CONTENDERS } from './contenders/contenders.ts';

export interface BenchOptions {
  readonly sizes: readonly number[];
  readonly contenders: readonly string[];
  readonly warmups: number;
  readonly timed: number;
  /** For each leg on its own: queries that were not asked before, so that nothing is remembered of them. */
  readonly legQueries: number;
  readonly limitMinutes: number;
  /** How often each is searched; of each figure the middle one counts. */
  readonly rounds: number;
  readonly json: string | null;
  readonly write: boolean;
  readonly check: boolean;
}

const SIZES = [1000, 10_000, 100_000];
const QUICK_SIZES = [1000, 10_000];

export const USAGE = `npm run bench -- [options]

Measures hybrid search of Dowser beside its peers, all in one run on the same corpus and queries.

  --sizes N,N       units in the corpus (default ${SIZES.join(',')})
  --only NAME,NAME  of ${Object.keys(CONTENDERS).join(', ')} (default all)
  --quick           ${QUICK_SIZES.join(' and ')} units, fewer queries, under a minute
  --rounds N        search each so often and take the middle of each figure (default 3, with --quick 1)
  --json FILE       write every figure to a file
  --write           write docs/speed.md (full run only)
  --no-check        print the budgets that were missed, but exit 0
  --limit N         minutes that each process of a contender may take (default 15)
`;

/** Throws an error with a sentence for the user. */
export function parseOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
      'no-check': { type: 'boolean', default: false },
      limit: { type: 'string', default: '15' },
      rounds: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const { quick, write } = values;
  if (write && (quick || values.sizes !== undefined || values.only !== undefined)) {
    throw new Error('--write goes with a full run only: leave out --quick, --sizes and --only.');
  }
  return {
    sizes: values.sizes === undefined ? (quick ? QUICK_SIZES : SIZES) : values.sizes.split(',').map(toSize),
    contenders: values.only === undefined ? Object.keys(CONTENDERS) : values.only.split(',').map(toContender),
    warmups: quick ? 200 : 2000,
    timed: quick ? 150 : 500,
    legQueries: quick ? 50 : 200,
    limitMinutes: toWhole(values.limit, '--limit'),
    rounds: values.rounds === undefined ? (quick ? 1 : 3) : toWhole(values.rounds, '--rounds'),
    json: values.json ?? null,
    write,
    check: !values['no-check'],
  };
}

function toWhole(text: string, option: string): number {
  const value = Number(text.trim());
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`${option} has '${text}', which is not a whole number above 0.`);
}

/** Fewer units could not give a hundred candidates. */
const MIN_UNITS = 200;

function toSize(text: string): number {
  const size = toWhole(text, '--sizes');
  if (size >= MIN_UNITS) return size;
  throw new Error(`--sizes has ${size}; ${MIN_UNITS} units are the least.`);
}

function toContender(text: string): string {
  const name = text.trim();
  if (Object.hasOwn(CONTENDERS, name)) return name;
  throw new Error(`--only has '${name}'; there are ${Object.keys(CONTENDERS).join(', ')}.`);
}
