import { leaf, sum } from '../../model/answer/explanation.ts';
import type { SearchPlan } from '../plan/plan.ts';
import type { FoundUnit } from '../retrieval/retrieval.ts';
import { bestCandidatesFirst } from './candidates/best-candidates.ts';
import { Candidate, type ScoredUnit } from './candidates/candidate.ts';
import { resultOf } from './score-units.ts';

/*
 * The first tools, read together with the query. Fusion and the choice among the tools of a server compare words and vectors
 * that were made apart. A reranker reads the query and a tool at once: it knows more, and takes milliseconds for each tool. So
 * only the first tools are read, and the scores that they had are handed out again.
 */

/** When the first tools are read: never, where the first ones are close, or always. */
export const RERANK_MODES = ['off', 'auto', 'always'] as const;
export type RerankMode = (typeof RERANK_MODES)[number];

/** The most tools that are read for a query. */
export const MAX_READ = { off: 0, auto: 4, always: 10 } as const satisfies Record<RerankMode, number>;

/*
 * Shares of the best score. Measured with a reader of our own on the `dev` questions of training/questions: docs/lab/reranker.md.
 */

/** `auto` reads only if the second tool is behind the first by at most this. */
const CLOSE = 0.2;

/** `auto` reads no tool that is further behind the first. */
const WITHIN = 0.25;

/** What one unit of a reading is worth. */
const PER_READING = 0.1;

/** Longer queries have several needs. A reranker reads one. */
const MAX_CHARS = 300;

/** How well units answer the query, by unit id: log-odds. */
export type Readings = ReadonlyMap<string, number>;

/** The tools to read for this search, best first. Empty if there is nothing to decide. */
export function unitsToRead(
  candidates: readonly Candidate[],
  { preset, text, parts }: SearchPlan,
  mode: RerankMode,
): readonly FoundUnit[] {
  if (mode === 'off' || !preset.choosesTools || preset.graph !== 'none') return [];
  if (text === '' || text.length > MAX_CHARS || parts.length > 0) return [];
  const places = placesOf(candidates).slice(0, MAX_READ[mode]);
  const [first, second] = places;
  if (first === undefined || second === undefined) return [];
  const behind = ({ lead }: Place) => (first.lead - lead) / first.lead;
  if (mode === 'auto' && behind(second) > CLOSE) return [];
  const units: FoundUnit[] = [];
  for (const place of places) if (mode === 'always' || behind(place) <= WITHIN) units.push(place.unit.found);
  return units;
}

/**
 * The other tools of a server are this much behind the one that it shows, besides their scores. They were compared with each other
 * by their fit (`tool-choice.ts`), and the scores that were handed out do not tell how clear it was.
 */
const NOT_SHOWN = 0.05;

/** A tool among the first results. */
interface Place {
  readonly candidate: Candidate;
  readonly unit: ScoredUnit;
  /** With its share of what the stages before have given to its result. */
  readonly score: number;
  /** The score by which it is compared. */
  readonly lead: number;
}

/** The first tools, best first. A result that shows something else keeps its place. */
function placesOf(candidates: readonly Candidate[]): readonly Place[] {
  const places: Place[] = [];
  for (const candidate of candidates.slice(0, MAX_READ.always)) {
    const { depth, best, units, result } = candidate;
    if (depth > 0 || !isTool(best)) continue;
    const change = candidate.score - best.score!;
    for (const unit of result.isPart ? [best] : units) {
      if (unit.score === null || !isTool(unit)) continue;
      const score = unit.score + change;
      places.push({ candidate, unit, score, lead: unit === best ? score : score - NOT_SHOWN * candidate.score });
    }
  }
  // The sort is stable: of equal ones, the tool of the better result is first.
  return places.sort((a, b) => b.lead - a.lead);
}

const isTool = ({ found }: ScoredUnit) => found.kind === 'tool' || (found.type === 'tool' && found.kind === 'card');

/** A tool with the score that it gets, and how it was read. */
interface ReadTool {
  readonly unit: ScoredUnit;
  readonly reading: number;
}

/** Hands the scores of the first tools out again, in the order of what they had and how they were read. */
export function orderByReading(candidates: readonly Candidate[], readings: Readings): readonly Candidate[] {
  const places = placesOf(candidates).filter(({ unit }) => readings.has(unit.found.unit));
  const [first] = places;
  if (first === undefined) return candidates;
  const mixed = new Map<Place, number>();
  for (const place of places) {
    mixed.set(place, place.lead / first.lead + PER_READING * readings.get(place.unit.found.unit)!);
  }
  const ordered = places.toSorted((a, b) => mixed.get(b)! - mixed.get(a)!);
  const scores = places.map(({ score }) => score).sort((a, b) => b - a);
  const given = new Map<Candidate, ReadTool[]>();
  for (const [at, { candidate, unit: own }] of ordered.entries()) {
    const { found, keyword, vector } = own;
    const { unit: holder } = places[at]!;
    const score = scores[at]!;
    const { keywordRank, vectorRank } = holder;
    const place = holder === own ? own.place : (holder.place ?? holder);
    const unit = { found, keyword, vector, keywordRank, vectorRank, score, place };
    const tools = given.get(candidate);
    const tool = { unit, reading: readings.get(found.unit)! };
    if (tools === undefined) given.set(candidate, [tool]);
    else tools.push(tool);
  }
  const reordered: Candidate[] = [];
  for (const candidate of candidates) {
    const tools = given.get(candidate);
    reordered.push(tools === undefined ? candidate : withTools(candidate, tools));
  }
  return bestCandidatesFirst(reordered);
}

/** `tools` are those of the candidate that were read, best first. */
function withTools({ result, score, depth, explain }: Candidate, tools: readonly ReadTool[]): Candidate {
  const { unit: best, reading } = tools[0]!;
  const read = new Map<string, ScoredUnit>();
  for (const { unit } of tools) read.set(unit.found.unit, unit);
  const units: ScoredUnit[] = [];
  for (const unit of result.units) units.push(read.get(unit.found.unit) ?? unit);
  const change = best.score! - score;
  const detail = { tool: best.found.title, reading };
  const explainRead =
    explain && (() => sum('fusion', [explain(), leaf('read together with the query', change, detail)]));
  return new Candidate(resultOf(result.isPart, units), best, best.score!, depth, explainRead);
}
