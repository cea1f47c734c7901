import { parseArgs } from 'node:util';

export interface TortureOptions {
  readonly killRounds: number;
  readonly damaged: number;
  /** Damaged pages of one large store. */
  readonly pages: number;
  /** Different runs in each field that takes a long text. */
  readonly pumped: number;
  readonly requests: number;
  readonly connections: number;
  /** The time of each load. */
  readonly seconds: number;
  readonly entities: number;
  /** The clients of a load have one core, and its server the others. */
  readonly pin: boolean;
  /** The longest that a request of another caller may wait for a hostile one, in milliseconds. */
  readonly maxDelay: number;
  readonly seed: number;
}

const DEFAULTS = {
  'kill-rounds': 20,
  damaged: 40,
  pages: 200,
  pumped: 20,
  requests: 2000,
  connections: 500,
  seconds: 5,
  entities: 1000,
  'max-delay': 250,
  seed: 1,
} as const;
const FULL = {
  'kill-rounds': 1000,
  damaged: 500,
  pumped: 120,
  requests: 100_000,
  connections: 20_000,
  seconds: 60,
  entities: 10_000,
};

const TEXT = { type: 'string' } as const;

export const USAGE = `npm run torture -- [options]

Kills, damages and floods real servers. Ends with status 1 if a promise of docs/reliability.md or docs/security.md does not hold.

  --kill-rounds N  kill a writing server so often (default ${DEFAULTS['kill-rounds']})
  --damaged N      damage so many stores (default ${DEFAULTS.damaged})
  --pages N        damage one page of a store of 50 MB so often (default ${DEFAULTS.pages})
  --pumped N       send so many long runs of characters in each field (default ${DEFAULTS.pumped})
  --requests N     send so many random requests (default ${DEFAULTS.requests})
  --connections N  open so many raw connections (default ${DEFAULTS.connections})
  --seconds N      how long many clients search and write (default ${DEFAULTS.seconds})
  --entities N     how many entities they search (default ${DEFAULTS.entities})
  --pin            one core for the clients, the others for their server
  --max-delay N    how long another caller may wait, in milliseconds (default ${DEFAULTS['max-delay']})
  --seed N         repeat a run (default ${DEFAULTS.seed})
  --full           ${Object.entries(FULL)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ')}

0 leaves a part out.
`;

/** Throws an error with a sentence for the user. */
export function parseOptions(args: readonly string[]): TortureOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'kill-rounds': TEXT,
      damaged: TEXT,
      pages: TEXT,
      pumped: TEXT,
      requests: TEXT,
      connections: TEXT,
      seconds: TEXT,
      entities: TEXT,
      'max-delay': TEXT,
      seed: TEXT,
      pin: { type: 'boolean' },
      full: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return 'help';
  const defaults: Readonly<Record<string, number>> = values.full === true ? { ...DEFAULTS, ...FULL } : DEFAULTS;
  const count = (name: keyof typeof DEFAULTS): number => {
    const given = values[name];
    const value = typeof given === 'string' ? Number(given) : defaults[name]!;
    if (!Number.isInteger(value) || value < 0)
      throw new Error(`--${name} is '${String(given)}': must be a whole number.`);
    return value;
  };
  return {
    killRounds: count('kill-rounds'),
    damaged: count('damaged'),
    pages: count('pages'),
    pumped: count('pumped'),
    requests: count('requests'),
    connections: count('connections'),
    seconds: count('seconds'),
    entities: count('entities'),
    pin: values.pin === true,
    maxDelay: count('max-delay'),
    seed: count('seed'),
  };
}
