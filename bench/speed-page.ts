import { type Budget, megabytes } from './budgets.ts';
import { CANDIDATES, RESULTS } from './contenders/contender.ts';
import { titleOf } from './contenders/contenders.ts';
import type { BenchResult, Measured, Outcome } from './figures.ts';
import { HEADINGS, markdownTable, rowsOf, threeDigits } from './results-table.ts';

/** docs/speed.md, from one run. */
export function speedPage(result: BenchResult, budgets: readonly Budget[]): string {
  return `${[
    '# Speed',
    intro(result),
    ...result.sizes.map(
      (size) => `## ${size.units.toLocaleString('en')} units\n\n${markdownTable(HEADINGS, rowsOf(size))}`,
    ),
    whereOthersAreBetter(result),
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
  return `Hybrid search in one process: ${CANDIDATES} candidates by keyword and ${CANDIDATES} by vector (384 numbers, cosine), joined to ${RESULTS} results with their texts. About one unit in ten is hidden (a draft, deprecated or disabled) and may be in no answer and no list of candidates. Every contender has the same corpus, is asked the same queries and answers the same: the ids of ten units that may be found, each with its name and text, read from its own store. That is checked: an answer with a hidden unit or without its text stops the run. In one run:

\`\`\`
${command}
\`\`\`

${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}; load before the run ${loadBefore.toFixed(1)}. This page is written by that command.

The corpus is made up from a seed: servers with their tools, stand-alone tools and documents, with word-like terms of Zipf frequencies, ${counts.join(', ')}; vectors in a few hundred flat clusters on the sphere; queries of two to six words of a topic with the disturbed vector of one of its units. What is hidden is drawn by lot, one entity of every ten of a topic with all of its units; the filter is applied before the limit, in the way each library has for it.`;
}

function howToRead(): string {
  return `## How to read it

- **p50, p95, p99**: milliseconds for one search, asked one after the other after a warm-up. Everybody is searched in rounds, in turn and each in a new process, and of each figure the middle one counts, so that a minute in which the machine is slow decides nothing; what is rebuilt at each start has one round. Embedding the query is left out for everybody.
- **x Dowser**: p50 as a multiple of Dowser's.
- **CPU ms**: processor time of one search, all threads together, on average. More than the p50 where a library works with several threads.
- **keyword, vector**: each leg on its own, p50, with the same filter, ids only. A hybrid search may take less than both together where a library runs them side by side.
- **recall@10**: the share of the ten exact neighbors among the units that may be found that its vector leg found, over a hundred queries. Below 1, speed was bought with misses.
- **index s**: seconds to index everything and make it ready. Dowser's figure includes storing it safely, one synced transaction for each 500 entities.
- **open ms, first answer ms**: in a new process, the time to open the stored index and to answer the first question. \`rebuilt\`: it is in memory only and is indexed again at each start.
- **memory MB**: resident memory of that process after the warm-up, the runtime and the loader of TypeScript included (about 75 MB). For those that are rebuilt it is the process that built them.
- Dowser returns more than the others: entities in groups, their tools, snippets, scores and confidence. It cuts tool descriptions to 240 characters; the others return all texts in full.`;
}

interface Quality {
  readonly name: string;
  readonly unit: string;
  /** Less is better. */
  readonly of: (measured: Measured) => number | null;
}

const QUALITIES: readonly Quality[] = [
  { name: 'half of the searches', unit: 'ms', of: ({ search }) => search.hybrid.p50 },
  { name: 'nearly all searches (p99)', unit: 'ms', of: ({ search }) => search.hybrid.p99 },
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
    return better.length === 0 ? [`- ${size}: in nothing of what was measured.`] : [`- ${size}: ${better.join('; ')}.`];
  });
  return ['## Where others are better', "Dowser's figure first, then who was below it:", lines.join('\n')].join('\n\n');
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
