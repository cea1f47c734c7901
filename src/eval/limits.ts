import { DowserError } from '../model/errors/errors.ts';
import { METRIC_NAMES, type MetricName } from './metrics.ts';

/** A limit of `--fail-under`. */
export interface Limit {
  readonly metric: MetricName;
  /** 0 to 1. A maximum for `zero_hit`, a minimum for every other metric. */
  readonly value: number;
}

/** Parses `ndcg@10=0.7`. Throws INVALID_REQUEST for an unknown metric or an impossible value. */
export function parseLimit(text: string): Limit {
  const equals = text.indexOf('=');
  const metric = METRIC_NAMES.find((name) => name === text.slice(0, equals));
  const number = equals < 0 ? '' : text.slice(equals + 1).trim();
  const value = Number(number);
  if (metric === undefined || number === '' || Number.isNaN(value)) {
    throw refused(text, 'must be a metric and a number', `The metrics are ${METRIC_NAMES.join(', ')}.`);
  }
  if (value < 0 || value > 1) throw refused(text, `${metric} must be from 0 to 1`, '');
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
