/**
 * The registry's search as its two design documents describe it, over plain objects: slow, obvious, and without a line of the code
 * that it is compared with. The documents leave the order of equal values open: here the id decides, and of equal sums of ranks
 * what the vector list has first, as docs/ranking.md says.
 */

export interface OracleTool {
  readonly name: string;
  readonly description: string;
}

export interface OracleAsset {
  readonly type: 'mcp_server' | 'a2a_agent' | 'skill' | 'virtual_server';
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Flattened: what the documents call `metadata_text`. */
  readonly metadataText: string;
  readonly tools: readonly OracleTool[];
  /** The text whose vector is compared, from the document's list for its type. */
  readonly embedded: string;
  readonly vector: readonly number[];
}

export interface OraclePage {
  readonly results: readonly (readonly [path: string, score: number])[];
  readonly tools: readonly (readonly [server: string, tool: string, score: number])[];
}

const STOP_WORDS =
  'a an the is are was were be been being have has had do does did will would could should may might can to of in on at by for with about as into through from what when where who which how why get set put'.split(
    ' ',
  );

export function tokensOf(query: string): string[] {
  return query
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => [...word].length > 2 && !STOP_WORDS.includes(word.toLowerCase()))
    .map((word) => word.toLowerCase());
}

const says = (text: string, tokens: readonly string[]) => tokens.some((token) => text.toLowerCase().includes(token));

/** Path 5, name 3, description 2, tags 1.5, metadata 1, each tool 1. */
function boostOf(asset: OracleAsset, tokens: readonly string[], metadata = 1): number {
  let boost = 0;
  if (says(asset.path, tokens)) boost += 5;
  if (says(asset.name, tokens)) boost += 3;
  if (says(asset.description, tokens)) boost += 2;
  if (asset.tags.some((tag) => says(tag, tokens))) boost += 1.5;
  if (says(asset.metadataText, tokens)) boost += metadata;
  for (const { name, description } of asset.tools) if (says(name, tokens) || says(description, tokens)) boost += 1;
  return boost;
}

/** The older document: cumulative for each keyword, nothing for metadata. */
const olderBoostOf = (asset: OracleAsset, tokens: readonly string[]) =>
  tokens.reduce((total, token) => total + boostOf(asset, [token], 0), 0);

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, left, right] = [0, 0, 0];
  a.forEach((value, at) => {
    dot += value * b[at]!;
    left += value * value;
    right += b[at]! * b[at]!;
  });
  return left === 0 || right === 0 ? 0 : dot / Math.sqrt(left * right);
}

/** Finer than the floats of an index: values that differ by less are equal. */
const NEAR = 1e-8;
const step = (score: number) => Math.round(score / NEAR);
const idOf = ({ type, path }: OracleAsset) => `${type}:${path}`;
const byId = (a: OracleAsset, b: OracleAsset) => (idOf(a) < idOf(b) ? -1 : 1);

function ranked(assets: readonly OracleAsset[], scoreOf: (asset: OracleAsset) => number): OracleAsset[] {
  const scored = assets.map((asset) => ({ asset, at: step(scoreOf(asset)) }));
  return scored.sort((a, b) => b.at - a.at || byId(a.asset, b.asset)).map(({ asset }) => asset);
}

/** `max(2 * max_results, 30)` of each type, merged by cosine. */
function vectorList(assets: readonly OracleAsset[], cosineOf: (asset: OracleAsset) => number, most: number) {
  const types = [...new Set(assets.map(({ type }) => type))];
  const fetched = types.flatMap((type) =>
    ranked(
      assets.filter((asset) => asset.type === type),
      cosineOf,
    ).slice(0, Math.max(2 * most, 30)),
  );
  return ranked(fetched, cosineOf);
}

/** `max(3 * max_results, 50)` with a boost. */
const keywordList = (assets: readonly OracleAsset[], boost: (asset: OracleAsset) => number, most: number) =>
  ranked(
    assets.filter((asset) => boost(asset) > 0),
    boost,
  ).slice(0, Math.max(3 * most, 50));

interface Scored {
  readonly asset: OracleAsset;
  readonly score: number;
}

/** Pass 1 with soft caps while other types wait, pass 2 fills up from what was skipped. */
function distributed(scored: readonly Scored[], most: number): Scored[] {
  const cap = Math.ceil(0.6 * most);
  const picked: Scored[] = [];
  const skipped: Scored[] = [];
  for (const [at, one] of scored.entries()) {
    if (picked.length === most) break;
    const taken = picked.filter(({ asset }) => asset.type === one.asset.type).length;
    const othersWait = scored.slice(at + 1).some(({ asset }) => asset.type !== one.asset.type);
    (taken >= cap && othersWait ? skipped : picked).push(one);
  }
  return [...picked, ...skipped].slice(0, most);
}

const round = (value: number) => Math.round(value * 10_000) / 10_000;

function normalized(page: readonly Scored[]): Scored[] {
  const scores = page.map(({ score }) => score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  return page
    .map(({ asset, score }) => ({ asset, score: high === low ? 1 : round((score - low) / (high - low)) }))
    .filter(({ score }) => score >= 0.2);
}

/** 0.5 for each token in the name, else 0.3 in the description; 0.7 of the sum, and 0.3 of the share of tokens. */
function toolScore({ name, description }: OracleTool, tokens: readonly string[]): number {
  const gains = tokens.map((token) => (says(name, [token]) ? 0.5 : says(description, [token]) ? 0.3 : 0));
  const matched = gains.filter((gain) => gain > 0).length;
  if (matched === 0) return 0;
  const sum = gains.reduce((total: number, gain) => total + gain, 0);
  return round(0.7 * Math.min(1, sum) + (0.3 * matched) / tokens.length);
}

function toolsOf(page: readonly Scored[], tokens: readonly string[], most: number): OraclePage['tools'] {
  const tools: (readonly [string, string, number])[] = [];
  for (const { asset } of page) {
    if (asset.type !== 'mcp_server') continue;
    const matching = asset.tools
      .map((tool) => [asset.path, tool.name, toolScore(tool, tokens)] as const)
      .filter(([, , score]) => score > 0)
      .sort((a, b) => b[2] - a[2]);
    tools.push(...matching.slice(0, Math.max(0, most - tools.length)));
  }
  return tools.sort((a, b) => b[2] - a[2]);
}

const toPage = (page: readonly Scored[], tokens: readonly string[], tools: number): OraclePage => ({
  results: page.map(({ asset, score }) => [asset.path, score]),
  tools: toolsOf(page, tokens, tools),
});

interface OracleQuery {
  readonly text: string;
  readonly vector: readonly number[];
  readonly maxResults: number;
}

const toolLimit = (most: number) => Math.max(3, Math.ceil(0.6 * most));

/** The newer document: reciprocal ranks of both lists, soft caps, min-max, 20 % floor. */
export function registryPage(assets: readonly OracleAsset[], { text, vector, maxResults }: OracleQuery): OraclePage {
  const tokens = tokensOf(text);
  const byVector = vectorList(assets, (asset) => cosine(asset.vector, vector), maxResults);
  const byKeyword = keywordList(assets, (asset) => boostOf(asset, tokens), maxResults);
  const shareOf = (list: readonly OracleAsset[], asset: OracleAsset) => {
    const at = list.indexOf(asset);
    return at < 0 ? 0 : 1 / (60 + at + 1);
  };
  // Sorting is stable: of equal scores, what the vector list has comes first.
  const all = [...byVector, ...byKeyword.filter((asset) => !byVector.includes(asset))];
  const scored = all
    .map((asset) => ({ asset, score: shareOf(byVector, asset) + shareOf(byKeyword, asset) }))
    .sort((a, b) => (Math.abs(b.score - a.score) < 1e-12 ? 0 : b.score - a.score));
  return toPage(normalized(distributed(scored, maxResults)), tokens, toolLimit(maxResults));
}

/** The older document: the shifted cosine and a tenth of the boost, three of each type. */
export function olderPage(assets: readonly OracleAsset[], { text, vector, maxResults }: OracleQuery): OraclePage {
  const tokens = tokensOf(text);
  const cosineOf = (asset: OracleAsset) => cosine(asset.vector, vector);
  const byVector = vectorList(assets, cosineOf, maxResults);
  const byKeyword = keywordList(assets, (asset) => olderBoostOf(asset, tokens), maxResults);
  const all = [...byVector, ...byKeyword.filter((asset) => !byVector.includes(asset))];
  const scored = all
    .map((asset) => {
      const score = (cosineOf(asset) + 1) / 2 + 0.1 * olderBoostOf(asset, tokens);
      return { asset, score: Math.min(1, Math.max(0, score)) };
    })
    .sort((a, b) => step(b.score) - step(a.score));
  const counts = new Map<string, number>();
  const page = scored.filter(({ asset: { type } }) => {
    counts.set(type, (counts.get(type) ?? 0) + 1);
    return counts.get(type)! <= 3;
  });
  return toPage(
    page.slice(0, maxResults).map(({ asset, score }) => ({ asset, score: round(score) })),
    tokens,
    3,
  );
}

/** Both documents without a model: the boost as a share of 13.5. */
export function lexicalPage(assets: readonly OracleAsset[], { text, maxResults }: OracleQuery): OraclePage {
  const tokens = tokensOf(text);
  const found = keywordList(assets, (asset) => boostOf(asset, tokens), maxResults);
  const scored = found.map((asset) => ({ asset, score: Math.min(1, boostOf(asset, tokens) / 13.5) }));
  scored.sort((a, b) => step(b.score) - step(a.score) || byId(a.asset, b.asset));
  const page = distributed(scored, maxResults).map(({ asset, score }) => ({ asset, score: round(score) }));
  return toPage(page, tokens, toolLimit(maxResults));
}

/** Keys, then scalars, the items of lists, or the values one level down. */
export function flattened(metadata: Readonly<Record<string, unknown>>): string {
  return Object.entries(metadata)
    .flatMap(([key, value]) => [
      key,
      ...(Array.isArray(value) ? value : typeof value === 'object' ? Object.values(value!) : [value]),
    ])
    .map(String)
    .join(' ');
}
