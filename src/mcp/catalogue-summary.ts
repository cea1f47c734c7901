import type { Entity, EntityType } from '../model/entity.ts';
import type { Health } from '../registry/registry.ts';
import { type Catalogue, everyEntity } from './catalogue.ts';
import { countTokens } from './token-count.ts';

/** How much the summary may cost: it is read with every list of tools. */
export const SUMMARY_MAX_TOKENS = 110;

/** A changed catalogue is read anew at most so often, and a large one less often: reading may take a twentieth of the time. */
const SHORTEST_AGE_MS = 2000;
const REST_PER_READING = 20;
/** Counts tell most changes; a rename is seen no later than this. */
const LONGEST_AGE_MS = 300_000;

const KIND_WORDS: Readonly<Record<EntityType, readonly [string, string]>> = {
  mcp_server: ['MCP server', 'MCP servers'],
  tool: ['single tool', 'single tools'],
  virtual_server: ['virtual server', 'virtual servers'],
  a2a_agent: ['agent', 'agents'],
  skill: ['skill', 'skills'],
  package: ['package', 'packages'],
  memory: ['memory', 'memories'],
  document: ['document', 'documents'],
};

/** What the catalogue holds, in a few lines, read again when it has changed. One summary serves every connection. */
export class CatalogueSummary {
  readonly #catalogue: Catalogue;
  readonly #now: () => number;
  #text = '';
  #key = '';
  #readAt = Number.NEGATIVE_INFINITY;
  #restMs = SHORTEST_AGE_MS;
  #reading: Promise<string> | null = null;

  constructor(catalogue: Catalogue, now: () => number = () => performance.now()) {
    this.#catalogue = catalogue;
    this.#now = now;
  }

  /** Waits for the first reading only: later ones go on behind the answer of the one before. */
  async current(): Promise<string> {
    const age = this.#now() - this.#readAt;
    if (this.#reading !== null || age < this.#restMs) return this.#text === '' ? (this.#reading ?? '') : this.#text;
    const { index } = await this.#catalogue.health();
    const key = JSON.stringify([index.entities, index.units, index.by_type]);
    if (key === this.#key && age < LONGEST_AGE_MS) return this.#text;
    const reading = this.#read(key, index);
    if (this.#text === '') return reading;
    // Whoever asks next tries again; this one has an answer.
    reading.catch(() => {});
    return this.#text;
  }

  #read(key: string, index: Health['index']): Promise<string> {
    if (this.#reading !== null) return this.#reading;
    const started = this.#now();
    this.#reading = summarise(this.#catalogue, index)
      .then((text) => {
        this.#key = key;
        this.#text = text;
        this.#readAt = this.#now();
        this.#restMs = Math.max(SHORTEST_AGE_MS, (this.#readAt - started) * REST_PER_READING);
        return text;
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }
}

async function summarise(catalogue: Catalogue, { by_type }: Health['index']): Promise<string> {
  const namespaces = new Map<string, number>();
  const tags = new Map<string, number>();
  let tools = 0;
  for await (const { entity } of everyEntity(catalogue, DESCRIBED)) {
    if (!entity.is_enabled) continue;
    if (entity.type === 'mcp_server') tools += entity.tools.length;
    add(namespaces, namespaceOf(entity));
    for (const tag of new Set(entity.tags.map((text) => text.trim().toLowerCase()))) add(tags, tag);
  }
  return summaryText(by_type, tools, ranked(namespaces), ranked(tags));
}

/** What is counted by namespace and topic: texts and memories would drown the rest. */
const DESCRIBED = ['mcp_server', 'tool', 'virtual_server', 'a2a_agent', 'skill'] as const;

/** The part of a path that others share: `io.github.someone` of `io.github.someone/server`. '' where there is none. */
function namespaceOf({ type, path }: Entity): string {
  if (type === 'skill' || type === 'virtual_server') return '';
  return /^\/?([^/:]+)[/:]./.exec(path)?.[1] ?? '';
}

function add(counts: Map<string, number>, name: string): void {
  if (name !== '' && name.length <= 40) counts.set(name, (counts.get(name) ?? 0) + 1);
}

type Counted = readonly (readonly [string, number])[];

/** Most frequent first; what occurs once says nothing about a catalogue. */
function ranked(counts: ReadonlyMap<string, number>): Counted {
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, 20);
}

/** Two leading digits: a description that changes with every write would spoil what clients keep of it. */
function about(count: number): string {
  if (count < 100) return String(count);
  const unit = 10 ** (String(count).length - 2);
  return `${(Math.floor(count / unit) * unit).toLocaleString('en')}+`;
}

export function summaryText(
  byType: Health['index']['by_type'],
  tools: number,
  namespaces: Counted,
  tags: Counted,
): string {
  const kinds = (Object.keys(KIND_WORDS) as EntityType[]).flatMap((type) => {
    const count = byType[type] ?? 0;
    if (count === 0) return [];
    const words = `${about(count)} ${KIND_WORDS[type][count === 1 ? 0 : 1]}`;
    return [type === 'mcp_server' && tools > 0 ? `${words} with ${about(tools)} tools` : words];
  });
  if (kinds.length === 0) return 'The registry is empty.';
  let text = `It holds ${kinds.join(', ')}.`;
  text = withList(text, 'Namespaces', namespaces, SUMMARY_MAX_TOKENS * 0.7);
  return withList(text, 'Topics', tags, SUMMARY_MAX_TOKENS);
}

/** As many names as there is room for; a list of one or two tells less than it costs. */
function withList(before: string, label: string, counted: Counted, limit: number): string {
  for (let length = Math.min(8, counted.length); length >= 3; length--) {
    const names = counted.slice(0, length).map(([name, count]) => `${name} (${about(count)})`);
    const text = `${before} ${label}: ${names.join(', ')}${length < counted.length ? ', ...' : '.'}`;
    if (countTokens(text) <= limit) return text;
  }
  return before;
}
