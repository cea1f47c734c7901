import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { searchTools } from '../src/mcp/tools/search-tools.ts';
import { countTokens } from '../src/model/text/token-count.ts';
import { openRegistry } from '../src/open.ts';

/**
 * What `search_tools` costs a model and whether it finds what the full answer finds. By hand:
 *
 *   npx tsx bench/mcp-tokens.ts <data folder> <labeled set> [queries] [--lexical]
 *
 * The data folder holds the catalog to search; the set has `queries.jsonl` and `qrels.jsonl` as for `dowser eval`.
 * Queries whose right answer the catalog does not have are left out. `--lexical` asks without the vector leg.
 */
const [dataDir, setDir, most = '100'] = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
if (dataDir === undefined || setDir === undefined) {
  throw new Error('usage: npx tsx bench/mcp-tokens.ts <data folder> <labeled set> [queries] [--lexical]');
}
const lexical = process.argv.includes('--lexical');

async function lines<T>(file: string): Promise<readonly T[]> {
  const text = await readFile(join(setDir!, file), 'utf8');
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as T]));
}

const K = 5;
const BUDGETS = [50, 100, 200, 400, 800];

const registry = await openRegistry(
  { data_dir: dataDir, ...(lexical ? { embeddings_provider: 'off' } : {}) },
  { background: false },
);

const relevant = new Map<string, Set<string>>();
for (const { query_id, doc_id } of await lines<{ query_id: string; doc_id: string }>('qrels.jsonl')) {
  relevant.set(query_id, (relevant.get(query_id) ?? new Set()).add(doc_id));
}
const isHere = (path: string) =>
  registry.get('mcp_server', path).then(
    () => true,
    () => false,
  );

const textTokens: number[] = [];
const structuredTokens: number[] = [];
const perBudget = new Map(BUDGETS.map((budget) => [budget, { worst: 0, shown: 0 }]));
let asked = 0;
let fullHits = 0;
let toolHits = 0;
let exceeded = 0;
let modes = '';
for (const { id, text } of await lines<{ id: string; text: string }>('queries.jsonl')) {
  if (asked === Number(most)) break;
  const right = relevant.get(id) ?? new Set();
  const here = await Promise.all([...right].map(isHere));
  if (!here.includes(true)) continue;
  asked++;
  const query = text.slice(0, 512);
  const full = await registry.search({ query, max_results: K });
  modes = full.search_mode;
  const ask = async (more: object) => searchTools.run(registry, searchTools.input.parse({ query, ...more }));
  const answer = await ask({ k: K });
  textTokens.push(countTokens(answer.text));
  structuredTokens.push(countTokens(JSON.stringify(answer.structured)));
  if (full.results.some(({ path, server_path }) => right.has(server_path ?? path))) fullHits++;
  if (answer.structured.results.some(({ path }) => right.has(path.split('#')[0]!))) toolHits++;
  for (const budget of BUDGETS) {
    const cut = await ask({ k: K, max_tokens: budget, detail: budget > 300 ? 'schema' : 'brief' });
    const tokens = countTokens(cut.text);
    const seen = perBudget.get(budget)!;
    if (tokens > budget) exceeded++;
    seen.worst = Math.max(seen.worst, tokens);
    seen.shown += cut.structured.results.length;
  }
}

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

console.log(`${asked} queries, ${modes}, k=${K}, brief`);
console.log(
  `text        median ${quantile(textTokens, 0.5)}, p95 ${quantile(textTokens, 0.95)} tokens (upper estimate)`,
);
console.log(`structured  median ${quantile(structuredTokens, 0.5)}, p95 ${quantile(structuredTokens, 0.95)} tokens`);
console.log(
  `Hit@${K}       search_tools ${(toolHits / asked).toFixed(3)}, full answer ${(fullHits / asked).toFixed(3)}`,
);
for (const [budget, { worst, shown }] of perBudget) {
  console.log(`max_tokens ${budget}: at most ${worst}, ${(shown / asked).toFixed(1)} results shown on average`);
}
console.log(`max_tokens exceeded ${exceeded} times`);
await registry.close();
