import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Progress } from './progress.ts';
import { confidence } from './quality/confidence.ts';
import { conversations } from './quality/conversations.ts';
import { crossFit } from './quality/cross-fit.ts';
import { crowding } from './quality/crowding.ts';
import { findability } from './quality/findability.ts';
import { firstTool } from './quality/first-tool.ts';
import { graph } from './quality/graph.ts';
import { long } from './quality/long.ts';
import { names } from './quality/names.ts';
import { parseOptions, type QualityOptions, USAGE } from './quality/options.ts';
import { qualityPage } from './quality/page.ts';
import { rankings } from './quality/rankings.ts';
import { SECTION_NAMES, type Section, type SectionName } from './quality/section.ts';
import { setFolders } from './quality/set-folders.ts';

/**
 * Measures the rankings on the labeled sets of a folder and writes docs/quality.md. The sets are not part of the
 * project: without them this only says where to put them.
 */
const SECTIONS: Readonly<Record<SectionName, Section>> = {
  'first-tool': firstTool,
  rankings,
  long,
  confidence,
  'cross-fit': crossFit,
  crowding,
  findability,
  names,
  conversations,
  graph,
};
const PAGE = fileURLToPath(new URL('../docs/quality.md', import.meta.url));

async function run({ data, only, queries, servers, out }: QualityOptions): Promise<void> {
  const sets = await setFolders(data);
  const progress = new Progress();
  const most = (usual: number) => Math.min(usual, queries ?? usual);
  const measured = new Map<string, readonly string[]>();
  for (const name of SECTION_NAMES.filter((section) => only.includes(section))) {
    const { heading, measure } = SECTIONS[name];
    const lines = await measure({ sets, most, maxServers: servers ?? Number.POSITIVE_INFINITY, progress });
    if (lines.length === 0) process.stderr.write(`${name}: the sets that it needs are not in ${data}.\n`);
    else measured.set(heading, lines);
  }
  const page = out ?? PAGE;
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  const headings = SECTION_NAMES.map((name) => SECTIONS[name].heading);
  writeFileSync(page, qualityPage({ headings, measured, before }));
  process.stderr.write(`Wrote ${page}\n`);
}

let options: QualityOptions | 'help';
try {
  options = parseOptions(process.argv.slice(2));
  if (options !== 'help' && !existsSync(options.data)) throw new Error(`There is no folder '${options.data}'.`);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exit(2);
}
if (options === 'help') process.stdout.write(USAGE);
else await run(options);
