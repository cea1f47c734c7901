import { allRecords } from '../../api/wire/all-records.ts';
import { ENTITY_TYPES, type Entity, type EntityType } from '../../model/entity.ts';
import { descriptorOf, ENTITY_TYPE_TABLE, typesOfRole } from '../../model/entity-types/table.ts';
import { promptLikeText } from '../../model/prompt-scan/prompt-like.ts';
import { foldTag } from '../../model/query/filter.ts';
import { fitsTokens } from '../../model/text/token-count.ts';
import type { Catalog } from './catalog.ts';
import { CatalogReading } from './catalog-reading.ts';

/** The summary is part of every list of tools, so it must be short. */
export const SUMMARY_MAX_TOKENS = 110;

/** A rename changes no count: it shows after this time at the latest. */
const MAX_AGE_MS = 300_000;

/** The content of the catalog in a few lines, updated when it changes. */
export class CatalogSummary extends CatalogReading {
  constructor(catalog: Catalog, now?: () => number) {
    super(catalog, (entities) => summarize(catalog, entities), MAX_AGE_MS, now);
  }
}

/** The types that are counted. Capabilities are also described, by namespace and topic. */
const COUNTED = [...typesOfRole('capability'), ...typesOfRole('reference')];
/** The types that are only named: to count the public ones, every text would have to be read. */
const NAMED = typesOfRole('content');
const NAMED_WITHIN = 50;

async function summarize(catalog: Catalog, entities: number): Promise<string> {
  const counts = new Map<EntityType, number>();
  const namespaces = new Map<string, number>();
  const tags = new Map<string, number>();
  const plainNamespace = remembered((name) => plainName(name, NAMESPACE));
  const plainTopic = remembered((name) => plainName(name, TOPIC));
  let tools = 0;
  for await (const { entity } of allRecords(catalog, COUNTED)) {
    if (!isShown(entity)) continue;
    add(counts, entity.type);
    if (entity.type === 'mcp_server') tools += entity.tools.length;
    if (descriptorOf(entity).role !== 'capability') continue;
    const namespace = plainNamespace(namespaceOf(entity));
    if (namespace !== null) add(namespaces, namespace);
    for (const tag of new Set(entity.tags.map((text) => plainTopic(foldTag(text))))) {
      if (tag !== null) add(tags, tag);
    }
  }
  const named: EntityType[] = [];
  for (const type of NAMED) {
    const { entities } = await catalog.page({ types: [type], limit: NAMED_WITHIN });
    if (entities.some(({ entity }) => isShown(entity))) named.push(type);
  }
  return summaryText({ entities, counts, named, tools, namespaces: ranked(namespaces), tags: ranked(tags) });
}

/** Most names occur many times, and checking one takes longer than all the rest. */
function remembered(check: (name: string) => string | null): (name: string) => string | null {
  const known = new Map<string, string | null>();
  return (name) => {
    let result = known.get(name);
    if (result === undefined) {
      result = check(name);
      known.set(name, result);
    }
    return result;
  };
}

/** Any client reads the summary, so it describes only what a search shows to everyone. */
function isShown({ is_enabled, status, visibility }: Entity): boolean {
  return is_enabled && visibility === 'public' && (status === 'active' || status === 'beta');
}

/** The first part of a path: `io.github.someone` of `io.github.someone/server`. Empty if there is none. */
function namespaceOf({ type, path }: Entity): string {
  // A prefix of all paths of a type is not a namespace.
  if (ENTITY_TYPE_TABLE[type].pathPrefix !== '/') return '';
  return /^\/?([^/:]+)[/:]./.exec(path)?.[1] ?? '';
}

/** The longest names: a host name, or a topic of a few words. A sentence is longer. */
const NAMESPACE = /^[\p{L}\p{N}._-]{1,40}$/u;
const TOPIC = /^(?=.{1,24}$)[\p{L}\p{N}]+(?:[ ._-][\p{L}\p{N}]+){0,2}$/u;

/**
 * The name if it is plain, else null. A model reads the summary as this server's own words, so text of publishers is
 * included only as short plain words, without line breaks or punctuation that ends a sentence.
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

/** Most frequent first. A name that occurs once says little about a catalog. */
function ranked(counts: ReadonlyMap<string, number>): Counted {
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, 20);
}

/** Two leading digits: a description that changes with every write could not be cached by clients. */
function about(count: number): string {
  if (count < 100) return String(count);
  const unit = 10 ** (String(count).length - 2);
  return `${(Math.floor(count / unit) * unit).toLocaleString('en')}+`;
}

export interface CatalogFacts {
  /** All entities, shown or not. */
  readonly entities: number;
  readonly counts: ReadonlyMap<EntityType, number>;
  /** Types that are present but not counted. */
  readonly named: readonly EntityType[];
  /** The number of tools of all MCP servers. */
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
  if (kinds.length === 0) return entities === 0 ? 'The registry is empty.' : 'The registry has no public entries.';
  let text = `It holds ${kinds.join(', ')}.`;
  text = withList(text, 'Namespaces', namespaces, SUMMARY_MAX_TOKENS * 0.7);
  return withList(text, 'Topics', tags, SUMMARY_MAX_TOKENS);
}

/** As many names as fit the limit. A list of one or two is not worth its tokens. */
function withList(before: string, label: string, counted: Counted, limit: number): string {
  for (let length = Math.min(8, counted.length); length >= 3; length--) {
    const names = counted.slice(0, length).map(([name, count]) => `${name} (${about(count)})`);
    const text = `${before} ${label}: ${names.join(', ')}${length < counted.length ? ', ...' : '.'}`;
    if (fitsTokens(text, limit)) return text;
  }
  return before;
}
