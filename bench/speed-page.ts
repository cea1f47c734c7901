import { type Budget, megabytes } from './budgets.ts';
import { CANDIDATES, RESULTS } from './contenders/contender.ts';
import { titleOf } from './contenders/contenders.ts';
import type { BenchResult, Measured, Outcome } from './figures.ts';
import { HEADINGS, markdownTable, rowsOf, threeDigits } from './results-table.ts';

/** docs/speed.md, from one run. `earlierBuild` is a section that other runs give. */
export function speedPage(result: BenchResult, budgets: readonly Budget[], earlierBuild: string): string {
  return `${[
    '# Speed',
    intro(result),
    ...result.sizes.map(
      (size) => `## ${size.units.toLocaleString('en')} units\n\n${markdownTable(HEADINGS, rowsOf(size))}`,
    ),
    whereOthersAreBetter(result),
    earlierBuild.trim(),
    howToRead(),
    whatEachRan(result),
    '## Budgets',
    markdownTable(
      ['what', 'promised', 'measured', ''],
      budgets.map(({ what, limit, measured, kept }) => [what, limit, measured, kept ? 'kept' : 'MISSED']),
    ),
  ].join('\n\n')}\n`;
}

function intro({ command, machine, loadBefore, sizes }: BenchResult): string {
  const { cpu, cores, memoryGb, node } = machine;
  const counts = sizes.map(
    ({ units, entities }) => `${units.toLocaleString('en')} (${entities.toLocaleString('en')} entities)`,
  );
  return `Hybrid search in one process: ${CANDIDATES} keyword candidates and ${CANDIDATES} vector candidates (384 dimensions, cosine), fused into ${RESULTS} results with their texts. About one unit in ten is hidden (a draft, deprecated or disabled) and must not be in an answer or a list of candidates. All engines get the same corpus and the same queries. All return the same fields: the ids of ten visible units, each with its name and text, read from the engine's own store. The benchmark checks the answers: an answer with a hidden unit or without its text stops the run. The figures by size come from one run of:

\`\`\`
${command}
\`\`\`

${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}; load before the run ${loadBefore.toFixed(1)}. This command writes this page.

The corpus is generated from a seed. It has servers with their tools, stand-alone tools and documents. Sizes in units: ${counts.join(', ')}. Terms look like words and have Zipf frequencies. Vectors lie in a few hundred flat clusters on the sphere. A query has two to six words of a topic, and the vector of one of its units with noise added. One in ten entities of each topic is hidden with all of its units, chosen at random. Each engine filters before the limit, with its own kind of filter.`;
}

function howToRead(): string {
  return `## How to read it

- **p50, p95, p99**: milliseconds per search, one search at a time, after a warm-up. The engines take turns in several rounds, each in a new process. Each figure is the median of its rounds, so a slow minute of the machine decides nothing. Engines that are rebuilt at each start have one round. No figure includes embedding the query.
- **x Dowser**: p50 as a multiple of Dowser's.
- **CPU ms**: mean processor time of one search, over all threads. It is above the p50 if an engine uses several threads.
- **keyword, vector**: p50 of each leg alone, with the same filter, ids only. A hybrid search may take less than their sum if an engine runs the legs in parallel.
- **recall@10**: the share of the ten nearest visible units (by exact search) that the vector leg found, over a hundred queries. Below 1, the engine missed some of them.
- **index s**: seconds to index everything until it can be searched. Dowser's figure includes durable storage: one synced transaction per 500 entities.
- **open ms, first answer ms**: in a new process, the time to open the stored index, and to answer the first query. \`rebuilt\`: the index is only in memory and is built again at each start.
- **memory MB**: resident memory of that process after the warm-up, including Node and the TypeScript loader (about 75 MB). For rebuilt engines it is the process that built the index.
- Dowser returns more than the others: grouped entities, their tools, snippets, scores and confidence. It cuts tool descriptions to 240 characters; the others return every text in full.`;
}

interface Quality {
  readonly name: string;
  readonly unit: string;
  /** Less is better. */
  readonly of: (measured: Measured) => number | null;
}

const QUALITIES: readonly Quality[] = [
  { name: 'p50', unit: 'ms', of: ({ search }) => search.hybrid.p50 },
  { name: 'p99', unit: 'ms', of: ({ search }) => search.hybrid.p99 },
  { name: 'keyword leg', unit: 'ms', of: ({ search }) => search.keyword.p50 },
  { name: 'vector leg', unit: 'ms', of: ({ search }) => search.vector.p50 },
  { name: 'indexing', unit: 's', of: ({ build }) => build.seconds },
  { name: 'opening', unit: 'ms', of: ({ search }) => search.openMs },
  { name: 'first answer', unit: 'ms', of: ({ search }) => search.firstAnswerMs },
  { name: 'memory', unit: 'MB', of: ({ search }) => megabytes(search.rssBytes) },
  { name: 'disk', unit: 'MB', of: ({ build }) => (build.bytes === null ? null : megabytes(build.bytes)) },
];

/** Worked out from the figures, so that it is never kinder than they are. */
function whereOthersAreBetter({ sizes }: BenchResult): string {
  const lines = sizes.flatMap(({ units, outcomes }) => {
    const own = outcomes.dowser;
    if (own?.status !== 'measured') return [];
    const better = QUALITIES.flatMap(({ name, unit, of }) => {
      const mine = of(own);
      if (mine === null) return [];
      const ahead = Object.entries(outcomes).flatMap(([contender, outcome]) => {
        const theirs = outcome.status === 'measured' ? of(outcome) : null;
        return theirs === null || theirs >= mine ? [] : [`${titleOf(contender)} ${threeDigits(theirs)}`];
      });
      return ahead.length === 0 ? [] : [`${name} ${threeDigits(mine)} ${unit} (${ahead.join(', ')})`];
    });
    const size = `**${units.toLocaleString('en')} units**`;
    return better.length === 0
      ? [`- ${size}: no engine is better in any figure.`]
      : [`- ${size}: ${better.join('; ')}.`];
  });
  return [
    '## Where others are better',
    "Dowser's figure comes first, then the engines with a better one:",
    lines.join('\n'),
  ].join('\n\n');
}

function whatEachRan({ sizes }: BenchResult): string {
  const seen = new Map<string, string>();
  for (const { outcomes } of sizes) {
    for (const [contender, outcome] of Object.entries(outcomes)) {
      if (!seen.has(contender) || outcome.status === 'measured') seen.set(contender, described(contender, outcome));
    }
  }
  return ['## What each ran', [...seen.values()].join('\n')].join('\n\n');
}

function described(contender: string, outcome: Outcome): string {
  const title = titleOf(contender);
  if (outcome.status !== 'measured') return `- **${title}**: ${outcome.status}, ${outcome.reason}.`;
  return `- **${title}** ${outcome.version}: ${outcome.how}`;
}
