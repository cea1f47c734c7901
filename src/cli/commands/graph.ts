import { basename } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import { MAX_NAMED_SKIPS } from '../../registry/contract/edge-operations.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import { readJsonLines } from '../../sources/kinds/jsonl.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print, runNamed, warn } from '../context/context.ts';
import { getWanted } from '../context/named-entity.ts';
import { formatCount, formatThings } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

/** Edges in one call: well under the body limit of a server. */
const BATCH = 5000;

interface Skipped {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

interface ImportedEdges {
  stored: number;
  skipped: number;
  readonly first_skipped: Skipped[];
}

function run(run: CommandRun): Promise<number> {
  const rest = run.args.slice(1);
  return runNamed(run, 'graph action', { around: () => around(run, rest), import: () => importFiles(run, rest) });
}

function around(run: CommandRun, named: readonly string[]): Promise<number> {
  if (named.length === 0)
    throw new DowserError('INVALID_REQUEST', 'The entity is missing.', { hint: 'dowser graph around <entity>' });
  return withBackend(run, { reads: true, missing: 'refuse' }, async (backend) => {
    const { entity } = await getWanted(backend, named);
    const list = await backend.relations(entity.type, entity.path);
    for (const warning of list.warnings) warn(run, warning);
    print(run, list, () => {
      const { dim } = run.out.style;
      const lines = list.relations.map(({ relation, direction, entity_type, path, why }) => {
        return `${direction === 'out' ? '->' : '<-'} ${relation}  ${entity_type}:${oneLine(path)}  ${dim(oneLine(why))}`;
      });
      const title = `${formatThings(list.relations.length, 'relation')} of ${list.entity_type}:${oneLine(list.path)}`;
      return `${[dim(title), ...lines].join('\n')}\n`;
    });
    return 0;
  });
}

async function importFiles(run: CommandRun, files: readonly string[]): Promise<number> {
  if (files.length === 0)
    throw new DowserError('INVALID_REQUEST', 'The file of edges is missing.', {
      hint: 'dowser graph import <file...>',
    });
  return withBackend(run, {}, async (backend) => {
    const result: ImportedEdges = { stored: 0, skipped: 0, first_skipped: [] };
    for (const file of files) await importFile(backend, file, result);
    const { stored, skipped, first_skipped } = result;
    print(run, result, () => `${formatCount(stored)} stored, ${formatCount(skipped)} skipped\n`);
    if (run.options.json !== true && skipped > 0) {
      warn(run, `${formatThings(skipped, 'edge')} skipped`);
      for (const { file, line, message } of first_skipped) run.err.write(`  ${file}:${line}  ${oneLine(message)}\n`);
    }
    return stored === 0 && skipped > 0 ? 1 : 0;
  });
}

async function importFile(backend: Pick<Registry, 'putEdges'>, file: string, result: ImportedEdges): Promise<void> {
  const name = basename(file);
  const skip = (line: number, message: string) => {
    if (result.first_skipped.length < MAX_NAMED_SKIPS) result.first_skipped.push({ file: name, line, message });
  };
  let edges: unknown[] = [];
  let lines: number[] = [];
  const flush = async () => {
    const report = await backend.putEdges({ edges, provenance: `import:${name}` });
    result.stored += report.stored;
    result.skipped += report.skipped;
    for (const { index, message } of report.first_skipped) skip(lines[index]!, message);
    edges = [];
    lines = [];
  };
  for await (const entry of readJsonLines(file)) {
    if ('error' in entry) {
      result.skipped += 1;
      skip(entry.line, entry.error.message);
      continue;
    }
    edges.push(entry.value);
    lines.push(entry.line);
    if (edges.length >= BATCH) await flush();
  }
  if (edges.length > 0) await flush();
}

export const command: CommandModule = { run };
