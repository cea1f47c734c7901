import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SettingsInput } from '../../src/config.ts';
import { openRegistry } from '../../src/open.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { sourceKeyOf } from '../../src/registry/notes/source-note.ts';
import { type McpServerSpec, mcpServerSource } from '../../src/sources/mcp/mcp-source.ts';
import { DEFAULT_LIMITS } from '../../src/sources/source.ts';
import { trustSource } from '../../src/sources/trusted-sources.ts';

const FIXTURE = fileURLToPath(new URL('./call-fixture.mjs', import.meta.url));

export interface CalledRegistry {
  readonly registry: LocalRegistry;
  readonly dir: string;
  /** What the server got since it was added, line by line. */
  log(): readonly string[];
  /** What it says of its tools from now on. */
  redefine(tools: readonly object[]): Promise<void>;
  /** Processes of it that run, with their descendants. */
  running(): readonly number[];
  close(): Promise<void>;
}

/** A registry with one server, whose tools misbehave: `/bad`. */
export async function calledRegistry(
  settings: SettingsInput = {},
  env: Readonly<Record<string, string>> = {},
): Promise<CalledRegistry> {
  const dir = await mkdtemp(join(tmpdir(), 'dowser-calls-'));
  const file = join(dir, 'log');
  const registry = await openRegistry({
    engine: 'memory',
    data_dir: dir,
    embeddings_provider: 'off',
    call: 'destructive',
    call_rate: 0,
    ...settings,
  });
  const spec = { command: process.execPath, args: [FIXTURE, file], name: 'bad' };
  // Added without these variables: its first start must succeed.
  await addServer(registry, dir, spec, { ...spec, env });
  await rm(file);
  return {
    registry,
    dir,
    log: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
    redefine: (tools) => writeFile(`${file}.tools`, JSON.stringify(tools)),
    running: () => processesWith(file),
    async close() {
      await registry.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Adds a server as `dowser add` does. `locator`: where it is from then on. Default: the same place. */
export async function addServer(
  registry: LocalRegistry,
  dir: string,
  spec: McpServerSpec,
  locator: McpServerSpec = spec,
): Promise<void> {
  const context = { env: process.env, limits: DEFAULT_LIMITS, version: '1' };
  const read = mcpServerSource(spec, context).read(new AbortController().signal);
  const { value: item } = await read[Symbol.asyncIterator]().next();
  const source = { kind: 'mcp', locator: { ...locator } };
  await trustSource(dir, sourceKeyOf(source));
  await registry.observe({
    source,
    live: true,
    entities: [{ part: '', entity: (item as { entity: Record<string, unknown> }).entity }],
  });
}

/** Linux only: by the mark that the processes of a server inherit. */
function processesWith(file: string): readonly number[] {
  const marks = new Set<string>();
  const all: { readonly pid: number; readonly mark: string }[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const mark = /DOWSER_SOURCE_RUN=([\w-]+)/.exec(readFileSync(`/proc/${name}/environ`, 'utf8'))?.[1];
      if (mark === undefined) continue;
      all.push({ pid: Number(name), mark });
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(file)) marks.add(mark);
    } catch {
      // It has exited.
    }
  }
  return all.filter(({ mark }) => marks.has(mark)).map(({ pid }) => pid);
}
