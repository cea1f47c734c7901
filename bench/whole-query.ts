import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadExamples } from '../src/cli/context/examples.ts';
import { parseSettings } from '../src/config.ts';
import { countTokens } from '../src/model/text/token-count.ts';
import { openEmbedderFor, openRegistry } from '../src/open.ts';

/**
 * A whole search with the local model beside it, and what an agent's conversation pays for it, on the example catalog. By hand:
 *
 *   npx tsx bench/whole-query.ts
 */
const dir = mkdtempSync(join(tmpdir(), 'dowser-whole-'));
const settings = parseSettings({ data_dir: dir });
const opened = await openEmbedderFor(settings);
await opened.warm();
const registry = await openRegistry(settings, { embedder: opened, background: false });
try {
  await loadExamples(registry);
  await registry.embedPending();
  const { entities } = await registry.page({ types: ['mcp_server'], limit: 500 });
  const tools = entities.flatMap(({ entity }) => (entity.type === 'mcp_server' ? (entity.tools ?? []) : []));
  const everyTool = countTokens(
    JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  );
  console.log(
    `${tools.length} tools of ${entities.length} servers: ${everyTool} tokens to load them all (upper estimate)`,
  );
  // As people ask: the first words of what a tool does, each question once.
  const queries = [
    ...new Set(tools.map(({ description = '' }) => description.split(/[.,:;]/)[0]!.toLowerCase())),
  ].filter((text) => text.split(' ').length > 2);
  const model: number[] = [];
  const whole: number[] = [];
  for (const [i, query] of queries.entries()) {
    // Every other question is measured in parts: the embedder remembers what it was asked.
    const start = performance.now();
    if (i % 2 === 0) await registry.search({ query });
    else await opened.embedder!.embed([query], { as: 'query' });
    if (i > 50) (i % 2 === 0 ? whole : model).push(performance.now() - start);
  }
  const p50 = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1]!.toFixed(2);
  console.log(
    `${whole.length} new questions, p50: ${p50(whole)} ms for the whole search, of which the model takes ${p50(model)} ms`,
  );
} finally {
  await registry.close();
  await rm(dir, { recursive: true, force: true });
}
