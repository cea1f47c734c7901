import { DowserError } from '../../../src/model/errors/errors.ts';

/**
 * What differs between two calls of one registry: random ids, durations, and times of the real clock. The clock of these registries
 * stands in 2001. This is the only place that leaves anything out of a comparison.
 */
const VOLATILE = {
  fields: new Set(['query_id', 'messageId', 'processing_time_ms', 'timing', 'uptime_seconds']),
  text: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|20[2-9]\d-\d\d-\d\dT[\d:.]+Z/g,
} as const;

/** What a caller can see of a call: the answer, or the error with its code, field, words and hint. */
export async function observed(call: () => Promise<unknown>): Promise<string> {
  try {
    return stable({ answer: await call() });
  } catch (thrown) {
    if (!(thrown instanceof DowserError)) throw thrown;
    const { code, message, field, hint, details } = thrown;
    return stable({ error: { code, message, field, hint, details } });
  }
}

/** Of an error that was thrown, of the answer to a request, or of a reading that was refused. Null: it went well. */
export function errorCodeOf(seen: string): string | null {
  const { error, answer } = JSON.parse(seen);
  return error?.code ?? answer?.body?.error?.code ?? answer?.[0]?.code ?? null;
}

function stable(value: unknown): string {
  const text = JSON.stringify(value, (key, field) => {
    if (VOLATILE.fields.has(key)) return '(volatile)';
    return field instanceof Map ? [...field] : field;
  });
  return text.replaceAll(VOLATILE.text, '(volatile)');
}

/** The part of two answers around their first difference. */
export function difference(expected: string, actual: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  const from = Math.max(0, at - 160);
  return `without: ...${expected.slice(from, at + 240)}\nwith:    ...${actual.slice(from, at + 240)}`;
}
