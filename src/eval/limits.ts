import { DowserError } from '../model/errors.ts';
import { METRIC_NAMES, type MetricName } from './metrics.ts';

/** What a ranking has to reach. */
export interface Limit {
  readonly metric: MetricName;
  /** 0 to 1. Of `zero_hit` it is the most there may be, of every other metric the least. */
  readonly value: number;
}

/** Reads `ndcg@10=0.7`. Throws INVALID_REQUEST for a metric that is not measured and for a value it cannot have. */
export function parseLimit(text: string): Limit {
  const equals = text.indexOf('=');
  const metric = METRIC_NAMES.find((name) => name === text.slice(0, equals));
  const number = equals < 0 ? '' : text.slice(equals + 1).trim();
  const value = Number(number);
  if (metric === undefined || number === '' || Number.isNaN(value)) {
    throw refused(text, 'it must be a metric and a number', `The metrics are ${METRIC_NAMES.join(', ')}.`);
  }
  if (value < 0 || value > 1) throw refused(text, `${metric} is always between 0 and 1`, '');
  return { metric, value };
}

function refused(text: string, reason: string, more: string): DowserError {
  return new DowserError('INVALID_REQUEST', `--fail-under is '${text}': ${reason}.`, {
    field: 'fail-under',
    hint: `For example ndcg@10=0.7. ${more}`.trim(),
  });
}

export function isMissed({ metric, value }: Limit, measured: number): boolean {
  return metric === 'zero_hit' ? measured > value : measured < value;
}
