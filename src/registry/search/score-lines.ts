import type { SearchPlan } from '../../search/plan/plan.ts';
import type { Candidate } from '../../search/ranking/candidates/candidate.ts';
import type { RankedPage } from '../../search/ranking/rank.ts';
import { isBoost, type Retrieved } from '../../search/retrieval/retrieval.ts';

/**
 * What the registry's documents log of a search: how many documents each list has, and a line for every candidate. Has names
 * of entities, but nothing of the query. Empty for other rankings: they explain each result.
 */
export function scoreLines({ preset, text }: SearchPlan, { keyword, vector }: Retrieved, { found }: RankedPage) {
  if (!isBoost(preset.keyword.scorer) || text === '') return [];
  const byRank = preset.fusion === 'rrf';
  const lines = found.map((candidate) => {
    const line = `Score for '${nameOf(candidate)}' (type=${candidate.type}): ${scoresOf(candidate, preset.fusion)}`;
    return byRank ? `RRF ${line.charAt(0).toLowerCase()}${line.slice(1)}` : line;
  });
  if (!byRank) return lines;
  const inputs = `RRF inputs: ${vector?.length ?? 0} vector-ranked docs, ${keyword.length} keyword-ranked docs`;
  return [inputs, ...lines];
}

function scoresOf({ best, score }: Candidate, fusion: SearchPlan['preset']['fusion']): string {
  const { keyword, vector } = best;
  const boost = keyword ?? 0;
  const textBoost = `text_boost=${Number.isInteger(boost) ? boost.toFixed(1) : boost}`;
  if (fusion === 'rrf') return `${score.toFixed(6)}, ${textBoost}`;
  const final = `final=${score.toFixed(4)}`;
  if (fusion === 'share') return `${textBoost}, ${final}`;
  const shifted = vector === null ? 0 : (vector + 1) / 2;
  const cosine = `vector=${vector === null ? 'none' : vector.toFixed(4)}, normalized_vector=${shifted.toFixed(4)}`;
  return `${cosine}, ${textBoost}, boost_contrib=${(0.1 * boost).toFixed(4)}, ${final}`;
}

/** On one line: it is a publisher's text. */
const nameOf = ({ best }: Candidate) => best.found.title.replace(/\p{C}/gu, ' ');
