import { allRecords } from '../api/all-records.ts';
import { ENTITY_TYPES, type Entity, type EntityType } from '../model/entity.ts';
import { descriptorOf, ENTITY_TYPE_TABLE, typesOfRole } from '../model/entity-types/table.ts';
import { foldTag } from '../model/filter.ts';
import { promptLikeText } from '../model/prompt-like.ts';
import type { Catalog } from './catalog.ts';
import { countTokens } from './token-count.ts';

/** How much the summary may cost: it is read with every list of tools. */
export const SUMMARY_MAX_TOKENS = 110;

/** A changed catalog is read anew at most so often, and a large one less often: reading may take a twentieth of the time. */
const SHORTEST_AGE_MS = 2000;
const REST_PER_READING = 20;
/** Counts tell most changes; a rename is seen no later than this. */
const MAX_AGE_MS = 300_000;

/** What the catalog holds, in a few lines, read again when it has changed. One summary serves every connection. */
export class CatalogSummary {
  readonly #catalog: Catalog;
  readonly #now: () => number;
  #text = '';
  #key = '';
  #readAt = Number.NEGATIVE_INFINITY;
  #restMs = SHORTEST_AGE_MS;
  #reading: Promise<string> | null = null;

  constructor(catalog: Catalog, now: () => number = () => performance.now()) {
    this.#catalog = catalog;
    this.#now = now;
  }

  /** Waits for the first reading only: later ones go on behind the answer of the one before. */
  async current(): Promise<string> {
    const age = this.#now() - this.#readAt;
    if (this.#reading !== null || age < this.#restMs) return this.#text === '' ? (this.#reading ?? '') : this.#text;
    const { index } = await this.#catalog.health();
    const key = JSON.stringify([index.entities, index.units, index.by_type]);
    if (key === this.#key && age < MAX_AGE_MS) return this.#text;
    const reading = this.#read(key, index.entities);
    if (this.#text === '') return reading;
    // Whoever asks next tries again; this one has an answer.
    reading.catch(() => {});
    return this.#text;
  }

  #read(key: string, entities: number): Promise<string> {
    if (this.#reading !== null) return this.#reading;
    const started = this.#now();
    this.#reading = summarize(this.#catalog, entities)
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

/** What is counted. Capabilities are also described, by namespace and topic. */
const COUNTED = [...typesOfRole('capability'), ...typesOfRole('reference')];
/** What is only said to be there: to count those that may be told of would be to read every text. */
const NAMED = typesOfRole('content');
const NAMED_WITHIN = 50;

async function summarize(catalog: Catalog, entities: number): Promise<string> {
  const counts = new Map<EntityType, number>();
  const namespaces = new Map<string, number>();
  const tags = new Map<string, number>();
  let tools = 0;
  for await (const { entity } of allRecords(catalog, COUNTED)) {
    if (!isTold(entity)) continue;
    add(counts, entity.type);
    if (entity.type === 'mcp_server') tools += entity.tools.length;
    if (descriptorOf(entity).role !== 'capability') continue;
    const namespace = plainName(namespaceOf(entity), NAMESPACE);
    if (namespace !== null) add(namespaces, namespace);
    for (const tag of new Set(entity.tags.map((text) => plainName(foldTag(text), TOPIC)))) {
      if (tag !== null) add(tags, tag);
    }
  }
  const named: EntityType[] = [];
  for (const type of NAMED) {
    const { entities } = await catalog.page({ types: [type], limit: NAMED_WITHIN });
    if (entities.some(({ entity }) => isTold(entity))) named.push(type);
  }
  return summaryText({ entities, counts, named, tools, namespaces: ranked(namespaces), tags: ranked(tags) });
}

/** Whoever connects reads the summary, so it tells of what a search would show to anybody. */
function isTold({ is_enabled, status, visibility }: Entity): boolean {
  return is_enabled && visibility === 'public' && (status === 'active' || status === 'beta');
}

/** The part of a path that others share: `io.github.someone` of `io.github.someone/server`. '' where there is none. */
function namespaceOf({ type, path }: Entity): string {
  // What the paths of a type all begin with is no namespace.
  if (ENTITY_TYPE_TABLE[type].pathPrefix !== '/') return '';
  return /^\/?([^/:]+)[/:]./.exec(path)?.[1] ?? '';
}

/** How long a name of a publisher's may be: a host name, or a topic of a few words. A sentence is longer. */
const NAMESPACE = /^[\p{L}\p{N}._-]{1,40}$/u;
const TOPIC = /^(?=.{1,24}$)[\p{L}\p{N}]+(?:[ ._-][\p{L}\p{N}]+){0,2}$/u;

/**
 * The name, if it can be nothing but a name. The summary is read as this server's own words, before any answer, so what
 * publishers write goes into it as short plain words or not at all: no line breaks, no punctuation to end a sentence with.
 */
function plainName(name: string, shape: RegExp): string | null {
  const plain = name.normalize('NFC');
  if (!shape.test(plain)) return null;
  return promptLikeText(plain.replaceAll(/[._-]+/g, ' ')) === null ? plain : null;
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

type Counted = readonly (readonly [string, number])[];

/** Most frequent first; what occurs once says nothing about a catalog. */
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

export interface CatalogFacts {
  /** All of them, told of or not. */
  readonly entities: number;
  readonly counts: ReadonlyMap<EntityType, number>;
  /** Types that are there, in a number that is not told. */
  readonly named: readonly EntityType[];
  /** Of all MCP servers together. */
  readonly tools: number;
  readonly namespaces: Counted;
  readonly tags: Counted;
}

export function summaryText({ entities, counts, named, tools, namespaces, tags }: CatalogFacts): string {
  const kinds = ENTITY_TYPES.flatMap((type) => {
    const [one, several] = ENTITY_TYPE_TABLE[type].words;
    if (named.includes(type)) return [several];
    const count = counts.get(type) ?? 0;
    if (count === 0) return [];
    const words = `${about(count)} ${count === 1 ? one : several}`;
    return [type === 'mcp_server' && tools > 0 ? `${words} with ${about(tools)} tools` : words];
  });
  if (kinds.length === 0) return entities === 0 ? 'The registry is empty.' : 'It holds nothing public.';
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
