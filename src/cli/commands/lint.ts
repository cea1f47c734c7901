import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { countLevels } from '../../lint/report.ts';
import { toSarif } from '../../lint/sarif.ts';
import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { dowserVersion } from '../../open.ts';
import { withBackend } from '../context/backend.ts';
import {
  bulkSettingsFor,
  type CommandModule,
  type CommandRun,
  printJson,
  warn,
  wrongOption,
} from '../context/context.ts';
import { withFilledRegistry } from '../context/filled-registry.ts';
import { getWanted, parseWanted } from '../context/named-entity.ts';
import { lintServers, questionsOf, toolSearch } from '../lint/measure.ts';
import { type ReadServers, readAllServers } from '../sources/read-servers.ts';
import { sourceContext } from '../sources/source-context.ts';
import { toSourceRequests } from '../sources/source-requests.ts';
import { type LintAnswer, lintText } from '../terminal/lint-lines.ts';
import { withProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

async function run(run: CommandRun): Promise<number> {
  const { options, out } = run;
  const minScore = minScoreOf(options.minScore);
  const isRegistered = options['--'] === undefined && run.args.every(isPath);
  const { servers, reports, among, problems } = await (isRegistered ? lintRegistered(run) : lintSources(run));
  for (const { part, message } of problems) warn(run, `${part === '' ? '' : `${oneLine(part)}: `}${oneLine(message)}`);
  if (servers.length === 0) {
    throw new DowserError('NOT_FOUND', 'There is no MCP server to lint.', {
      hint: 'Name a configuration or a manifest, a command after --, or add servers with `dowser add`.',
    });
  }
  const score = Math.min(...reports.map((report) => report.score));
  const counts = countLevels(reports);
  const passed = counts.error === 0 && score >= (minScore ?? 0);
  const answer: LintAnswer = { score, min_score: minScore, passed, counts, among, servers: reports, problems };
  if (options.sarif === true) printJson(run, await sarifOf(run, answer));
  else if (options.json === true) printJson(run, answer);
  else out.write(lintText(answer, out));
  if (minScore !== null && score < minScore) warn(run, `The lowest score is ${score}; --min-score is ${minScore}.`);
  return passed ? 0 : 1;
}

/** Registered entities are named by path: `/github` or `mcp_server:/github`. A file of that name is a file. */
const isPath = (word: string): boolean =>
  parseWanted(word).type !== null || (word.startsWith('/') && !/\.(?:jsonc?|jsonl)$/.test(word));

function minScoreOf(given: unknown): number | null {
  if (given === undefined) return null;
  const score = Number(given);
  if (String(given).trim() !== '' && score >= 0 && score <= 100) return score;
  throw wrongOption('min-score', given, 'a number from 0 to 100');
}

interface Linted extends ReadServers {
  readonly reports: LintAnswer['servers'];
  readonly among: number;
}

/** Searches the registry itself: its own servers are what an agent chooses from. */
function lintRegistered(run: CommandRun): Promise<Linted> {
  return withBackend(run, { reads: true, missing: 'refuse' }, async (backend) => {
    const all: McpServer[] = [];
    for await (const { entity } of backend.all(['mcp_server'])) all.push(entity as McpServer);
    const named = [];
    for (const word of run.args) named.push((await getWanted(backend, [word])).entity);
    const wrong = named.find(({ type }) => type !== 'mcp_server');
    if (wrong !== undefined) {
      throw new DowserError('INVALID_REQUEST', `'${wrong.path}' is not an MCP server.`, {
        hint: 'Only MCP servers have tools to lint. List them with `dowser list mcp_server`.',
      });
    }
    const servers = named.length === 0 ? all : (named as McpServer[]);
    const reports = await reportsOf(run, servers, all, toolSearch(backend));
    return { servers, reports, among: all.length - servers.length, problems: [] };
  });
}

/** Puts the servers into a registry of their own, with those of `--among`, and deletes it afterwards. */
async function lintSources(run: CommandRun): Promise<Linted> {
  const { options, signal } = run;
  const settings = bulkSettingsFor(run);
  const context = sourceContext(run, settings);
  const { servers, problems } = await readAllServers(toSourceRequests(run), context, signal);
  const others = ((options.among as readonly string[] | undefined) ?? []).map((what) => ({ what }));
  const among = others.length === 0 ? [] : (await readAllServers(others, context, signal)).servers;
  const own = new Set(servers.map(({ path }) => path));
  const rivals = among.filter(({ path }) => !own.has(path));
  if (options.search === false || servers.length === 0)
    return { servers, reports: await lintServers(servers, [], null), among: 0, problems };
  const queries = [...questionsOf(servers).values()].flat();
  const set = { name: 'lint', entities: [...servers, ...rivals], queries };
  const vectors = options.lexical !== true && settings.embeddings_provider !== 'off';
  const reports = await withFilledRegistry(run, { settings, set, vectors }, (registry) =>
    reportsOf(run, servers, rivals, toolSearch(registry)),
  );
  return { servers, reports, among: rivals.length, problems };
}

function reportsOf(
  run: CommandRun,
  servers: readonly McpServer[],
  rivals: readonly McpServer[],
  search: ReturnType<typeof toolSearch>,
): Promise<LintAnswer['servers']> {
  if (run.options.search === false) return lintServers(servers, rivals, null);
  const questions = questionsOf(servers);
  const total = [...questions.values()].flat().length;
  let done = 0;
  return withProgress({ terminal: run.err, label: 'asking', unit: 'questions' }, (progress) =>
    lintServers(servers, rivals, {
      search,
      questions,
      signal: run.signal,
      onQuestion: () => progress.update(++done, total),
    }),
  );
}

/** Findings point at the file, if there is one. */
async function sarifOf(run: CommandRun, { servers }: LintAnswer): Promise<object> {
  const [only, ...others] = run.options['--'] === undefined ? run.args.filter((word) => !isPath(word)) : [];
  const text = only === undefined || others.length > 0 ? null : await readFile(only, 'utf8').catch(() => null);
  const lines = text?.split('\n') ?? [];
  const lineWith = (name: string) => lines.findIndex((line) => line.includes(JSON.stringify(name))) + 1;
  return toSarif(servers, {
    version: dowserVersion(),
    file: text === null ? undefined : relative('.', only!).replaceAll('\\', '/'),
    lineOf: (server, tool) => Math.max(1, (tool === undefined ? 0 : lineWith(tool)) || lineWith(server)),
  });
}

export const command: CommandModule = { run, graceful: true };
