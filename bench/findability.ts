import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFilledRegistry } from '../src/cli/context/filled-registry.ts';
import { lintServers, questionsOf, toolSearch } from '../src/cli/lint/measure.ts';
import { toTerminal } from '../src/cli/terminal/terminal.ts';
import { loadSettings } from '../src/config.ts';
import { suggestedStart } from '../src/lint/findability.ts';
import type { Question } from '../src/lint/paraphrase.ts';
import { findingsOf, type ServerReport } from '../src/lint/report.ts';
import type { RuleId } from '../src/lint/rules.ts';
import { type McpServer, parseEntity } from '../src/model/entity.ts';
import { isJsonObject } from '../src/model/json/json-object.ts';
import { fromCollectionLine } from '../src/sources/kinds/jsonl.ts';

/**
 * Whether servers are found better after what `dowser lint` says is done. By hand, for docs/lab/findability.md:
 *
 *   npx tsx bench/findability.ts <folder with corpus.jsonl and reserved.txt> [--lexical]
 *
 * 30 servers are linted among 170 others. The advice is followed by rule, without a model and without reading a text: the first
 * sentence becomes the one that lint suggests, a parameter without a description gets the words of its name. Then the worst ten
 * are asked again, with the questions of before and with their new ones. Only figures are printed.
 */
const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: npx tsx bench/findability.ts <folder> [--lexical]');
const lexical = process.argv.includes('--lexical');

const SERVERS = 30;
const RIVALS = 170;
const WORST = 10;

interface Line {
  readonly id: string;
  readonly tools: readonly { readonly description?: string }[];
  readonly metadata?: { readonly repository?: string };
}

/** Evenly spread over the corpus, which is sorted by id. Without reserved servers and near copies of them. */
async function chosenServers(): Promise<readonly McpServer[]> {
  const text = await readFile(join(folder!, 'corpus.jsonl'), 'utf8');
  const reserved = new Set((await readFile(join(folder!, 'reserved.txt'), 'utf8')).split(/\s+/));
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line);
  const kept = lines.filter(({ id }) => reserved.has(id));
  const repositories = new Set(kept.flatMap(({ metadata }) => metadata?.repository ?? []));
  const texts = new Set(kept.flatMap(({ tools }) => tools.flatMap(({ description }) => description ?? [])));
  const free = lines.filter(({ id, tools, metadata }) => {
    if (reserved.has(id) || repositories.has(metadata?.repository ?? '')) return false;
    const copied = tools.filter(({ description }) => description !== undefined && texts.has(description)).length;
    return tools.length >= 4 && tools.length <= 25 && copied <= tools.length / 2;
  });
  const step = free.length / (SERVERS + RIVALS);
  return Array.from({ length: SERVERS + RIVALS }, (_, i) => {
    return parseEntity(fromCollectionLine(free[Math.floor(i * step)])).entity as McpServer;
  });
}

const REWRITTEN: readonly RuleId[] = ['no-description', 'short-description', 'no-verb', 'near-twins', 'hard-to-find'];

/** The server after its advice was followed. Names stay: whoever calls a tool knows them. */
function followed(server: McpServer, report: ServerReport): McpServer {
  const tools = server.tools.map((tool) => {
    const rules = new Set(findingsOf(report).flatMap(({ tool: name, rule }) => (name === tool.name ? [rule] : [])));
    const inputSchema = rules.has('silent-parameters') ? described(tool.inputSchema) : tool.inputSchema;
    if (!REWRITTEN.some((rule) => rules.has(rule))) return { ...tool, inputSchema };
    const [, ...rest] = tool.description.trim().split(/(?<=[.!?])\s|\n/);
    return { ...tool, inputSchema, description: [suggestedStart(server, tool), ...rest].join(' ').trim() };
  });
  return parseEntity(JSON.parse(JSON.stringify({ ...server, tools }))).entity as McpServer;
}

function described(schema: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return schema as undefined;
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const words = name.replaceAll(/([a-z\d])([A-Z])|[_.-]+/g, '$1 $2').toLowerCase();
    return [name, isJsonObject(field) && field.description === undefined ? { ...field, description: words } : field];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

const { settings } = loadSettings({ env: { ...process.env, DOWSER_DATA: join(tmpdir(), 'dowser-findability') } });
const context = {
  out: toTerminal(process.stdout, process.env),
  err: toTerminal(process.stderr, process.env),
  env: process.env,
  signal: new AbortController().signal,
};

type Questions = ReadonlyMap<string, readonly Question[]>;

/** The reports of `servers` among `all`. */
function lint(all: readonly McpServer[], servers: readonly McpServer[], asked: readonly Questions[]) {
  const queries = asked.flatMap((questions) => [...questions.values()].flat());
  const set = { name: 'findability', entities: all, queries };
  return withFilledRegistry(context, { settings, set, vectors: !lexical }, async (registry) => {
    const reports: (readonly ServerReport[])[] = [];
    for (const questions of asked) {
      const options = { search: toolSearch(registry), questions, signal: context.signal };
      reports.push(await lintServers(servers, all, options));
    }
    return reports;
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const found = (reports: readonly ServerReport[]) => mean(reports.map(({ findability }) => findability ?? 0));
const asText = (share: number | null) => (share ?? 0).toFixed(3);

const all = await chosenServers();
const linted = all.filter((_, i) => i % ((SERVERS + RIVALS) / SERVERS) < 1).slice(0, SERVERS);
const before = (await lint(all, linted, [questionsOf(linted)]))[0]!;
const worst = [...before].sort((a, b) => (a.findability ?? 0) - (b.findability ?? 0)).slice(0, WORST);
const chosen = new Map(worst.map((report) => [report.path, report]));
const fixed = all.map((server) => {
  const report = chosen.get(server.path);
  return report === undefined ? server : followed(server, report);
});
const fixedWorst = fixed.filter(({ path }) => chosen.has(path));
const oldWorst = all.filter(({ path }) => chosen.has(path));
const others = linted.filter(({ path }) => !chosen.has(path));
const [sameQuestions, ownQuestions] = await lint(fixed, fixedWorst, [questionsOf(oldWorst), questionsOf(fixedWorst)]);
const [othersAfter] = await lint(fixed, others, [questionsOf(others)]);

const tools = linted.reduce((sum, server) => sum + server.tools.length, 0);
const asked = [...questionsOf(linted).values()].flat().length;
console.log(
  `${linted.length} servers with ${tools} tools among ${all.length - linted.length} others, ${asked} questions`,
);
console.log(`mean of the ${linted.length} before: ${asText(found(before))}`);
console.log('| server | tools | before | after, same questions | after, own questions | score before | score after |');
for (const [at, { path, findability, score, tools: list }] of worst.entries()) {
  const after = (reports: readonly ServerReport[] | undefined) => reports!.find((report) => report.path === path)!;
  const cells = [
    asText(findability),
    asText(after(sameQuestions).findability),
    asText(after(ownQuestions).findability),
  ];
  console.log(`| ${at + 1} | ${list.length} | ${cells.join(' | ')} | ${score} | ${after(ownQuestions).score} |`);
}
console.log(`mean: ${[worst, sameQuestions!, ownQuestions!].map((reports) => asText(found(reports))).join(' | ')}`);
const rest = before.filter(({ path }) => !chosen.has(path));
console.log(`the other ${rest.length}: ${asText(found(rest))} before, ${asText(found(othersAfter!))} after`);
