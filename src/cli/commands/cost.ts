import type { Catalog } from '../../mcp/catalog/catalog.ts';
import {
  answerTokens,
  detailsTokens,
  listedTools,
  MEASURED_TOOLSETS,
  type MeasuredToolset,
  toolTokens,
} from '../../mcp/context-cost.ts';
import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { SourceRequest } from '../../sources/open/open-source.ts';
import { publicArguments, shownArgument } from '../../sources/secrets/secret-references.ts';
import { withBackend } from '../context/backend.ts';
import { bulkSettingsFor, type CommandModule, type CommandRun, print, warn, wrongOption } from '../context/context.ts';
import { withFilledRegistry } from '../context/filled-registry.ts';
import { breakEven, type ClientCost, type CostAnswer, clientCost, type DowserCost, mean } from '../cost/cost-answer.ts';
import { questionsOf } from '../lint/measure.ts';
import { type ReadServers, readServers } from '../sources/read-servers.ts';
import { sourceContext } from '../sources/source-context.ts';
import { toSourceRequests } from '../sources/source-requests.ts';
import { costTable } from '../terminal/cost-table.ts';
import { oneLine } from '../terminal/text-width.ts';

/** Enough for a mean. They are spread over the tools. */
const MAX_QUESTIONS = 100;

async function run(run: CommandRun): Promise<number> {
  const toolset = toolsetOf(run.options.toolset);
  const isRegistry = run.options['--'] === undefined && run.args.length === 0;
  const { clients, problems, dowser } = await (isRegistry ? ofRegistry(run, toolset) : ofSources(run, toolset));
  for (const { part, message } of problems) warn(run, `${part === '' ? '' : `${oneLine(part)}: `}${oneLine(message)}`);
  const answer: CostAnswer = {
    clients,
    dowser,
    break_even: clients.map(({ tokens }) => breakEven(tokens, dowser)),
    problems,
  };
  print(run, answer, () => costTable(answer, run.out, run.options.tools === true));
  return 0;
}

function toolsetOf(given: unknown): MeasuredToolset {
  const found = MEASURED_TOOLSETS.find((name) => name === (given ?? 'call'));
  if (found === undefined) throw wrongOption('toolset', given, `one of ${MEASURED_TOOLSETS.join(', ')}`);
  return found;
}

interface Measured {
  readonly clients: readonly ClientCost[];
  readonly dowser: DowserCost;
  readonly problems: ReadServers['problems'];
}

function ofRegistry(run: CommandRun, toolset: MeasuredToolset): Promise<Measured> {
  return withBackend(run, { reads: true, missing: 'refuse' }, async (backend) => {
    const servers: McpServer[] = [];
    for await (const { entity } of backend.all(['mcp_server'])) servers.push(entity as McpServer);
    expectTools(servers);
    const dowser = await measureDowser(backend, servers, toolset);
    return { clients: [clientCost('registry', servers)], dowser, problems: [] };
  });
}

/** Every configuration by itself, and Dowser with all of their servers. */
async function ofSources(run: CommandRun, toolset: MeasuredToolset): Promise<Measured> {
  const settings = bulkSettingsFor(run);
  const context = sourceContext(run, settings);
  const requests = toSourceRequests(run);
  const clients: ClientCost[] = [];
  const problems: { part: string; message: string }[] = [];
  const all = new Map<string, McpServer>();
  for (const request of requests) {
    const read = await readServers(request, context, run.signal);
    clients.push(clientCost(labelOf(request), read.servers));
    problems.push(...read.problems);
    for (const server of read.servers) all.set(server.path, server);
  }
  const servers = [...all.values()];
  expectTools(servers);
  const set = { name: 'cost', entities: servers, queries: [] };
  const dowser = await withFilledRegistry(run, { settings, set, vectors: false }, (registry) =>
    measureDowser(registry, servers, toolset),
  );
  return { clients, dowser, problems };
}

/** Without the secrets that arguments may have. */
const labelOf = ({ what, command }: SourceRequest): string =>
  what === undefined ? publicArguments(command ?? []).args.join(' ') : shownArgument(what);

function expectTools(servers: readonly McpServer[]): void {
  if (servers.some(({ tools }) => tools.length > 0)) return;
  throw new DowserError('NOT_FOUND', 'There is no tool to count.', {
    hint: 'Name a configuration of a client, a command after --, or add servers with `dowser add`.',
  });
}

/** Asks for what the tools do, in their own words, as `dowser lint` does. */
async function measureDowser(
  catalog: Catalog,
  servers: readonly McpServer[],
  toolset: MeasuredToolset,
): Promise<DowserCost> {
  const asked = [...questionsOf(servers)].flatMap(([path, [first]]) =>
    first === undefined ? [] : [{ path, text: first.text }],
  );
  const step = Math.max(1, asked.length / MAX_QUESTIONS);
  const answers: number[] = [];
  const details: number[] = [];
  for (let at = 0; at < asked.length; at += step) {
    const { path, text } = asked[Math.floor(at)]!;
    answers.push(await answerTokens(catalog, text));
    details.push(await detailsTokens(catalog, path));
  }
  const list = await listedTools(toolset, catalog);
  const tokens = list.reduce((sum, tool) => sum + toolTokens(tool), 0);
  return { toolset, tools: list.length, tokens, answer: mean(answers), details: mean(details) };
}

export const command: CommandModule = { run, graceful: true };
