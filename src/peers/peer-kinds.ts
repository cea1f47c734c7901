import { type EntityType, isEntityType } from '../model/entity.ts';
import { OFFICIAL_NAME } from '../model/entity-types/fields.ts';
import { ENTITY_TYPE_TABLE } from '../model/entity-types/table.ts';
import { isJsonObject, type JsonObject, stated } from '../model/json/json-object.ts';
import type { PeerQuestion } from '../registry/contract/peers.ts';
import { joinArdEntry, readArdHead } from '../sources/formats/ard-entry.ts';
import { readRegistryEntry } from '../sources/formats/server-document.ts';
import { serverListAddress } from '../sources/kinds/registry-source.ts';

export interface PeerRequest {
  readonly url: string;
  /** Absent for GET. */
  readonly body?: JsonObject;
}

/** What a peer says of one thing, before any of it is checked. */
export interface Said {
  readonly fields: JsonObject;
  readonly claimed: number | null;
}

/** How registries of a kind are asked, and how their answers are read. */
export interface PeerKind {
  /** None of these requests makes a peer ask others: `peers: false` and `federation: none` say so, and a registry never does. */
  requests(base: string, question: PeerQuestion): readonly PeerRequest[];
  /** The field of an answer that has the results. */
  readonly list: string;
  /** Reads one result of an answer. Null: it is not meant to be shown. Throws for one of another shape. */
  reader(answer: JsonObject): (result: unknown) => Said | null;
}

/** The official API searches names for one text, so it is asked for the longest words of the query, one by one. */
const MAX_WORDS = 3;
const MIN_WORD_CHARS = 3;

function longestWords(query: string): readonly string[] {
  const words = query.match(/[\p{L}\p{N}][\p{L}\p{N}-]*/gu) ?? [];
  const long = [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length >= MIN_WORD_CHARS);
  return long.sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
}

const ARD_FIELDS: readonly EntityType[] = ['mcp_server', 'a2a_agent', 'skill'];

export const PEER_KINDS: Readonly<Record<'dowser' | 'registry' | 'ard', PeerKind>> = {
  dowser: {
    requests: (base, { query, tags, types, max_results }) => [
      {
        url: `${base}/api/search/semantic`,
        body: { query, entity_types: types, tags, max_results, peers: false },
      },
    ],
    list: 'results',
    reader(answer) {
      const hits = hitsIn(answer);
      return (result) => dowserResult(result, hits);
    },
  },
  registry: {
    requests: (base, { query, types, max_results }) =>
      types.includes('mcp_server')
        ? longestWords(query).map((word) => {
            const url = serverListAddress(base);
            url.searchParams.set('search', word);
            url.searchParams.set('version', 'latest');
            url.searchParams.set('limit', String(max_results));
            return { url: url.href };
          })
        : [],
    list: 'servers',
    reader: () => (entry) => {
      const { entity, status, isLatest, name } = readRegistryEntry(entry);
      if (!isLatest || status === 'deleted') return null;
      const official_name = OFFICIAL_NAME.test(name) ? name : undefined;
      return { fields: { ...entity, ...stated({ official_name }) }, claimed: null };
    },
  },
  ard: {
    requests: (base, { query, types, max_results }) =>
      types.some((type) => ARD_FIELDS.includes(type))
        ? [
            {
              url: /\/search$/.test(base) ? base : `${base}/search`,
              body: { query: { text: query }, federation: 'none', pageSize: max_results },
            },
          ]
        : [],
    list: 'results',
    reader: () => (entry) => {
      const head = readArdHead(entry);
      if (head.kind === undefined || head.kind === 'catalog' || head.kind === 'registry') return null;
      return { fields: joinArdEntry(head, {}, '').entity, claimed: null };
    },
  },
};

/** The hits of a Dowser's groups, by type and path: they have the addresses. */
function hitsIn(answer: JsonObject): ReadonlyMap<string, JsonObject> {
  const hits = new Map<string, JsonObject>();
  for (const [type, { group }] of Object.entries(ENTITY_TYPE_TABLE)) {
    const list = answer[group];
    for (const hit of Array.isArray(list) ? list : []) if (isJsonObject(hit)) hits.set(`${type} ${hit.path}`, hit);
  }
  return hits;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function dowserResult(result: unknown, hits: ReadonlyMap<string, JsonObject>): Said {
  if (!isJsonObject(result) || !isEntityType(result.entity_type)) throw new TypeError('has a result without a type');
  const { entity_type: type, path, name, description, tags, status, confidence, match_context, matched_unit } = result;
  const hit = hits.get(`${type} ${path}`) ?? {};
  const card = isJsonObject(hit.agent_card) ? hit.agent_card : {};
  const unit = isJsonObject(matched_unit) ? matched_unit : {};
  const listed = Array.isArray(hit.matching_tools) ? hit.matching_tools.filter(isJsonObject) : [];
  const matched = unit.kind === 'tool' ? [{ tool_name: unit.title, description: match_context }] : [];
  const tools = new Map(
    [...matched, ...listed].map((tool) => [tool.tool_name, { name: tool.tool_name, description: tool.description }]),
  );
  return {
    fields: stated({
      type,
      path,
      name,
      description,
      tags,
      status: textOf(status),
      url: textOf(hit.proxy_pass_url) ?? textOf(card.url),
      mcp_endpoint: textOf(hit.mcp_endpoint),
      sse_endpoint: textOf(hit.sse_endpoint),
      deployment: textOf(hit.deployment),
      local_runtime: isJsonObject(hit.local_runtime) ? hit.local_runtime : undefined,
      skill_md_url: textOf(hit.skill_md_url),
      tools: tools.size === 0 ? undefined : [...tools.values()],
    }),
    claimed: typeof confidence === 'number' && confidence >= 0 && confidence <= 1 ? confidence : 0,
  };
}
