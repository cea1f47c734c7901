import { DowserError } from '../../model/errors.ts';
import { FIELDS } from '../../model/unit.ts';
import type { AnalyzedUnit } from './analyzed-unit.ts';
import { ANALYZER_VERSION } from './analyzer.ts';

const FORMAT = 1;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * A compact form for the store: a format byte, the analyzer's version, then the field lengths, counts and masks as
 * variable-length numbers, then terms and words as one text. Neither holds a line break, so that is what parts them.
 */
export function encodeAnalyzedUnit(unit: AnalyzedUnit): Uint8Array {
  const text = encoder.encode(`${unit.terms.join('\n')}\n${unit.words.join('\n')}`);
  const numbers: number[] = [FORMAT];
  const push = (value: number) => {
    let rest = value;
    while (rest > 127) {
      numbers.push((rest & 127) | 128);
      rest >>>= 7;
    }
    numbers.push(rest);
  };
  push(ANALYZER_VERSION);
  unit.lengths.forEach(push);
  push(unit.terms.length);
  unit.counts.forEach(push);
  push(unit.words.length);
  unit.wordFields.forEach(push);
  push(text.length);
  const bytes = new Uint8Array(numbers.length + text.length);
  bytes.set(numbers);
  bytes.set(text, numbers.length);
  return bytes;
}

/** Throws STORE_CORRUPT for anything `encodeAnalyzedUnit` of this version did not write. */
export function decodeAnalyzedUnit(bytes: Uint8Array): AnalyzedUnit {
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw corrupt('it ends too early');
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw corrupt('a number in it is too large');
  };
  /** Every number takes a byte at least, so a count beyond the end is caught before anything is allocated for it. */
  const nextCount = (): number => {
    const count = next();
    if (count > bytes.length - at) throw corrupt('it ends too early');
    return count;
  };
  const format = next();
  if (format !== FORMAT) throw corrupt(`it has format ${format}, not ${FORMAT}`);
  const analyzer = next();
  if (analyzer !== ANALYZER_VERSION) throw corrupt(`its analyzer is ${analyzer}, not ${ANALYZER_VERSION}`);
  const lengths = filled(new Uint32Array(FIELDS.length), next);
  const counts = filled(new Uint32Array(nextCount()), next);
  const wordFields = filled(new Uint8Array(nextCount()), next);
  const size = next();
  if (size !== bytes.length - at) throw corrupt(`its text has ${bytes.length - at} bytes, not ${size}`);
  const lines = decodeText(bytes.subarray(at)).split('\n');
  const terms = lines.slice(0, Math.max(1, counts.length));
  const words = lines.slice(terms.length);
  return {
    terms: fitting(terms, counts.length),
    counts,
    lengths,
    words: fitting(words, wordFields.length),
    wordFields,
  };
}

function filled<A extends Uint32Array | Uint8Array>(array: A, next: () => number): A {
  for (let i = 0; i < array.length; i++) array[i] = next();
  return array;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw corrupt('its text is not UTF-8', cause);
  }
}

/** An empty list is written as one empty line. */
function fitting(lines: readonly string[], count: number): readonly string[] {
  if (count === 0 && lines.length === 1 && lines[0] === '') return [];
  if (lines.length !== count) throw corrupt(`it has ${lines.length} words, not ${count}`);
  return lines;
}

function corrupt(what: string, cause?: unknown): DowserError {
  return new DowserError('STORE_CORRUPT', `A stored text analysis cannot be read: ${what}.`, {
    hint: 'Analyze the unit again from its text.',
    cause,
  });
}
