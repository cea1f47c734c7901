import type { Handlers } from '../../api/contract.ts';
import type { Evaluation, KeptRun } from '../../api/operations/evaluation-operations.ts';
import { compareRuns, type ScoredQuestion } from '../../eval/compare-runs.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';

/** What `dowser eval` keeps in the data folder. */
export interface Evaluations {
  readonly last: () => Promise<Evaluation>;
  readonly runs: () => Promise<readonly KeptRun[]>;
}

const NONE: Evaluations = {
  last: async () => ({ measured_at: null, sets: [] }),
  runs: async () => [],
};

/** A run without its questions. */
export const figuresOf = ({ measured_at, sets }: KeptRun) => ({
  measured_at,
  sets: sets.map(({ set, documents, results }) => ({
    set,
    documents,
    results: results.map(({ scores: _, ...figures }) => figures),
  })),
});

type EvaluationHandlers = Pick<Handlers, 'getEvaluation' | 'listEvaluations' | 'compareEvaluations'>;

export function evaluationHandlers({ last, runs }: Evaluations = NONE): EvaluationHandlers {
  return {
    getEvaluation: async () => ({ status: 200, body: await last() }),
    async listEvaluations() {
      return { status: 200, body: { runs: (await runs()).map(figuresOf) } };
    },
    async compareEvaluations({ query: { set, preset, before, after, limit } }) {
      const known = await runs();
      const [then, now] = [
        scoredIn(known, { set, preset }, 'before', before),
        scoredIn(known, { set, preset }, 'after', after),
      ];
      const { losses, ...compared } = compareRuns(then, now);
      return {
        status: 200,
        body: { set, preset, before, after, ...compared, losses: losses.slice(0, limit) },
      };
    },
  };
}

interface Ranking {
  readonly set: string;
  readonly preset: string;
}

function scoredIn(
  runs: readonly KeptRun[],
  { set, preset }: Ranking,
  field: 'before' | 'after',
  measuredAt: string,
): readonly ScoredQuestion[] {
  const run = runs.find(({ measured_at }) => measured_at === measuredAt);
  if (run === undefined) throw notFound(field, `There is no run of ${showValue(measuredAt)}.`);
  const measured = run.sets.find((one) => one.set === set);
  if (measured === undefined) throw notFound('set', `The run of ${measuredAt} has no set ${showValue(set)}.`);
  const result = measured.results.find((one) => one.preset === preset);
  if (result === undefined) {
    throw notFound('preset', `The run of ${measuredAt} did not measure the preset ${showValue(preset)}.`);
  }
  return measured.questions.flatMap(({ id, query }, at) => {
    const score = result.scores[at];
    return score === undefined ? [] : [{ id, query, score }];
  });
}

const notFound = (field: string, message: string) =>
  new DowserError('NOT_FOUND', message, { field, hint: 'GET /api/evaluation/runs lists what is kept.' });
