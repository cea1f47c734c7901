import { type Explanation, leaf, sum } from '../../model/answer/explanation.ts';
import type { SearchPlan } from '../plan/plan.ts';
import type { FoundUnit, Retrieved, ServerTools } from '../retrieval/retrieval.ts';
import { withoutName } from '../text/without-name.ts';
import type { QueryEvidence } from './calibrate/confidence.ts';
import { actionShares, oppositeOf } from './candidates/actions.ts';
import { bestCandidatesFirst } from './candidates/best-candidates.ts';
import { Candidate, HAS_TOOLS, rescored, type ScoredUnit } from './candidates/candidate.ts';
import type { Fusion } from './fusion/fusion.ts';
import { resultOf, withCardShare } from './score-units.ts';

/*
 * The choice among the tools of a server. Fusion compares what all servers have, so words that name the server decide much of
 * it, although each of its tools has them. Here only the tools of one server are compared. The scores that fusion gave them
 * are handed out again in the order of their fit, so servers keep their places.
 */

/** The servers whose tools are compared. Lower ones are seldom read. */
const MAX_SERVERS = 5;

/** The tools of a server that fusion found. */
export interface ToolChoice extends ServerTools {
  readonly entity: string;
  /** Its share counts for each tool. Undefined if it was not retrieved. */
  readonly card: FoundUnit | undefined;
  /** The query without the words that name the server; null if that is the query itself. */
  readonly text: string | null;
}

/** The choices of a search: among the tools of its first servers. */
export function choicesOf(
  plan: SearchPlan,
  candidates: readonly Candidate[],
  { toolsOf, vector, units }: Retrieved,
): readonly ToolChoice[] {
  if (!plan.preset.choosesTools || plan.text === '') return [];
  const servers = new Map<string, FoundUnit>();
  for (const { best, depth } of candidates) {
    if (depth > 0 || servers.size === MAX_SERVERS) break;
    const { found } = best;
    if (HAS_TOOLS.has(found.type) && !servers.has(found.entity)) servers.set(found.entity, found);
  }
  const found = [...servers.values()];
  const hasOwnText = vector !== null && plan.parts.length === 0 && plan.meanings === null;
  const choices: ToolChoice[] = [];
  for (const [at, tools] of toolsOf(found).entries()) {
    const { entity, group } = found[at]!;
    const card = units.find((unit) => unit.kind === 'card' && unit.group === group);
    const path = entity.slice(entity.indexOf(':') + 1);
    const text = withoutName(plan.text, `${tools.name} ${path}`);
    // A query that only names the server does not ask for one of its tools.
    if (text !== '') choices.push({ ...tools, entity, card, text: hasOwnText && text !== plan.text ? text : null });
  }
  return choices;
}

/** The distinct texts to embed. */
export function textsOf(choices: readonly ToolChoice[]): readonly string[] {
  const texts = new Set<string>();
  for (const { text, tools } of choices) if (text !== null && tools.length > 1) texts.add(text);
  return [...texts];
}

/** The weight of the text without the name of the server. */
const OWN_SHARE = 0.6;

/** The weight of the keyword score, in cosines: of its share of the highest possible, which means more for a long query. */
const PER_KEYWORD = 0.3;

/** The card of a server gives way to its best tool, unless it fits better by more than this. */
const CARD_MARGIN = 0.35;

/** The fit of a tool, and what it consists of. */
interface FittingTool {
  readonly found: FoundUnit;
  readonly fit: number;
  readonly detail: Readonly<Record<string, number>>;
}

/** The tools of a server, the best fit first. */
function byFit({ tools, text, cosines }: ToolChoice, context: ChoiceContext): readonly FittingTool[] {
  const { plan, vectors } = context;
  const action = actionShares(plan.text);
  const vector = text === null ? undefined : vectors.get(text);
  const whole: (number | null)[] = [];
  for (const { vector: cosine } of tools) whole.push(cosine);
  const wholeMean = meanOf(whole);
  const own = vector === undefined ? whole : cosines(vector);
  const ownMean = meanOf(own);
  const fitting: FittingTool[] = [];
  for (const [at, found] of tools.entries()) {
    const cosine = (1 - OWN_SHARE) * (whole[at] ?? wholeMean) + OWN_SHARE * (own[at] ?? ownMean);
    const keyword = keywordFit(found, context);
    const byAction = action === null ? 0 : action(found.actions);
    fitting.push({ found, fit: cosine + keyword + byAction, detail: { cosine, keyword, action: byAction } });
  }
  // The sort is stable, and the tools come by unit id.
  return fitting.sort((a, b) => b.fit - a.fit);
}

/** Of what is known: a tool without a vector yet counts as average. */
function meanOf(cosines: readonly (number | null)[]): number {
  let [total, count] = [0, 0];
  for (const cosine of cosines) {
    if (cosine === null) continue;
    total += cosine;
    count++;
  }
  return count === 0 ? 0 : total / count;
}

function keywordFit({ keyword }: FoundUnit, { evidence: { ceiling, terms } }: ChoiceContext): number {
  return keyword === null || ceiling === 0 ? 0 : PER_KEYWORD * Math.min(1, keyword / ceiling) * Math.log(1 + terms);
}

export interface ChoiceContext {
  readonly plan: SearchPlan;
  readonly evidence: Pick<QueryEvidence, 'ceiling' | 'terms'>;
  readonly choices: readonly ToolChoice[];
  /** How the first candidates were scored. */
  readonly fusion: Fusion;
  /** The vectors of `textsOf`. A text without one is not used. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/** Hands the scores of each server's tools out again, in the order of their fit. */
export function chooseTools(candidates: readonly Candidate[], context: ChoiceContext): readonly Candidate[] {
  const { plan, choices } = context;
  if (choices.length === 0) return candidates;
  let chosen = candidates;
  for (const choice of choices) {
    const tools = byFit(choice, context);
    if (tools.length === 0) continue;
    chosen = plan.toolsAsResults
      ? chooseResults(chosen, choice, tools, context)
      : chooseUnit(chosen, choice, tools, context);
  }
  return lowerOpposites(chosen, plan);
}

/** The share of its score that a result loses whose tool does the opposite of what the query asks. */
const OPPOSITE_SHARE = 0.5;

/** Another server may have the tool that reads: `my open issues` must not show `open_issue` first. */
function lowerOpposites(candidates: readonly Candidate[], { text }: SearchPlan): readonly Candidate[] {
  const isOpposite = oppositeOf(text);
  if (isOpposite === null || !candidates.some(({ best, depth }) => depth === 0 && isOpposite(best.found.actions)))
    return candidates;
  const lowered: Candidate[] = [];
  for (const candidate of candidates) {
    const { best, depth, score, explain } = candidate;
    if (depth > 0 || !isOpposite(best.found.actions)) {
      lowered.push(candidate);
      continue;
    }
    const loss = -OPPOSITE_SHARE * score;
    const parts = explain && (() => sum('fusion', [explain(), leaf('does the opposite of what the query asks', loss)]));
    lowered.push(rescored(candidate, score + loss, parts));
  }
  return bestCandidatesFirst(lowered);
}

/** The server stays where it is. Its best tool is shown in place of its best unit. */
function chooseUnit(
  candidates: readonly Candidate[],
  { entity, card }: ToolChoice,
  tools: readonly FittingTool[],
  context: ChoiceContext,
): readonly Candidate[] {
  const at = candidates.findIndex((candidate) => candidate.entity === entity);
  const server = candidates[at]!;
  const { best } = server;
  if (best.found.kind !== 'card' && best.found.kind !== 'tool') return candidates;
  const places: ScoredUnit[] = [];
  for (const unit of server.units) if (unit.found.kind === 'tool' && unit.score !== null) places.push(unit);
  places.sort((a, b) => b.score! - a.score!);
  if (best.found === card) {
    if (tools[0]!.fit < (card.vector ?? 0) + keywordFit(card, context) - CARD_MARGIN) return candidates;
    places.unshift(best);
  }
  const given = handOut(places, tools, (found) => withCardShare(unranked(found), card));
  const [first] = given;
  if (first === undefined || given.every(({ unit }) => unit.place === undefined)) return candidates;
  const placed = new Map<string, ScoredUnit>();
  for (const { unit } of given) placed.set(unit.found.unit, unit);
  const units: ScoredUnit[] = [];
  for (const unit of server.units) {
    units.push(placed.get(unit.found.unit) ?? unit);
    placed.delete(unit.found.unit);
  }
  for (const unit of placed.values()) units.push(unit);
  const explain = server.explain && explainChosen(first, context.fusion);
  const own = new Candidate(resultOf(false, units), first.unit, best.score!, server.depth, explain);
  const chosen: Candidate[] = [];
  for (const candidate of candidates) chosen.push(candidate === server ? own : candidate);
  return chosen;
}

/** The places of the tools of a server among the results stay, in a new order. */
function chooseResults(
  candidates: readonly Candidate[],
  { entity, card }: ToolChoice,
  tools: readonly FittingTool[],
  context: ChoiceContext,
): readonly Candidate[] {
  const places: ScoredUnit[] = [];
  let explains = false;
  for (const { entity: of, depth, best, explain } of candidates) {
    if (of !== entity || depth > 0) continue;
    places.push(best);
    explains ||= explain !== undefined;
  }
  const given = handOut(places, tools, (found) => withCardShare(unranked(found), card));
  const chosen: Candidate[] = [];
  const keys = new Set<string>();
  for (const one of given) {
    const { unit } = one;
    keys.add(unit.found.unit);
    const explain = explains ? explainChosen(one, context.fusion) : undefined;
    chosen.push(new Candidate(resultOf(true, [unit]), unit, unit.score!, 0, explain));
  }
  for (const candidate of candidates) {
    if (candidate.entity !== entity || !keys.has(candidate.key)) chosen.push(candidate);
  }
  return bestCandidatesFirst(chosen);
}

/** A tool, and the place that it got. */
interface GivenPlace {
  readonly unit: ScoredUnit;
  readonly tool: FittingTool;
}

/** Equal scores are ordered by id, so no two tools of a server get the same one. */
const STEP = 1e-6;

/**
 * Gives the places, best first, to the tools, best first. A tool that fusion found and that gets none comes right behind them.
 * A tool that fusion did not find is left out then, and everywhere if nothing says that it answers the query.
 */
function handOut(
  places: readonly ScoredUnit[],
  tools: readonly FittingTool[],
  toUnit: (found: FoundUnit) => ScoredUnit,
): readonly GivenPlace[] {
  const known = new Map<string, ScoredUnit>();
  for (const unit of places) known.set(unit.found.unit, unit);
  const given: GivenPlace[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  for (const tool of tools) {
    const own = known.get(tool.found.unit);
    if (own === undefined && (given.length >= places.length || isUnknown(tool.found))) continue;
    const place = places[Math.min(given.length, places.length - 1)]!;
    const score = Math.min(place.score!, lowest - STEP);
    lowest = score;
    if (place === own && score === place.score) given.push({ tool, unit: own });
    else {
      const { keywordRank, vectorRank } = place;
      const { found, keyword, vector } = own ?? toUnit(tool.found);
      given.push({ tool, unit: { found, keyword, vector, keywordRank, vectorRank, score, place } });
    }
  }
  return given;
}

const isUnknown = ({ keyword, vector }: FoundUnit) => keyword === null && vector === null;

const unranked = (found: FoundUnit): ScoredUnit => ({
  found,
  keyword: found.keyword,
  vector: found.vector,
  keywordRank: null,
  vectorRank: null,
  score: null,
  place: undefined,
});

/** The scores of the tool itself, and what the choice adds or takes. */
function explainChosen({ unit, tool }: GivenPlace, fusion: Fusion): () => Explanation {
  return () => {
    const parts = fusion.parts(unit);
    const { place } = unit;
    if (place === undefined) return sum('fusion', parts);
    const detail = { ...tool.detail, place_of: place.found.title };
    return sum('fusion', [
      ...parts,
      leaf('fit among the tools of its server', unit.score! - sum('', parts).value, detail),
    ]);
  };
}
