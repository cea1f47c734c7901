import { DowserError } from '../../model/errors.ts';
import { FIELDS } from '../../model/unit.ts';
import type { AnalyzedUnit } from './analyzed-unit.ts';
import { ANALYZER_VERSION } from './analyzer.ts';

const FORMAT = 1;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Encodes a unit for the store: a format byte, the analyzer version, the field lengths, counts and masks, then the text.
 * Numbers have a variable length. The text is all terms and words, one a line: none of them contains a line break.
 *
 * The bytes are a part of a shared buffer: memory of their own for each unit would make V8 collect garbage early, and in longer
 * steps.
 */
export function encodeAnalyzedUnit(unit: AnalyzedUnit): Uint8Array {
  const text = `${unit.terms.join('\n')}\n${unit.words.join('\n')}`;
  const textBytes = Buffer.byteLength(text);
  const numbers: number[] = [FORMAT];
  const push = (value: number) => {
    let remaining = value;
    while (remaining > 127) {
      numbers.push((remaining & 127) | 128);
      remaining >>>= 7;
    }
    numbers.push(remaining);
  };
  push(ANALYZER_VERSION);
  unit.lengths.forEach(push);
  push(unit.terms.length);
  unit.counts.forEach(push);
  push(unit.words.length);
  unit.wordFields.forEach(push);
  push(textBytes);
  const bytes = Buffer.allocUnsafe(numbers.length + textBytes);
  bytes.set(numbers);
  bytes.write(text, numbers.length);
  return bytes;
}

/** Throws STORE_CORRUPT unless `encodeAnalyzedUnit` of this version wrote the bytes. */
export function decodeAnalyzedUnit(bytes: Uint8Array): AnalyzedUnit {
  let offset = 0;
  const next = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[offset++];
      if (byte === undefined) throw corrupt('it ends too early');
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw corrupt('a number in it is too large');
  };
  /** Rejects a count larger than the remaining bytes before an array of that size is allocated. */
  const nextCount = (): number => {
    const count = next();
    if (count > bytes.length - offset) throw corrupt('it ends too early');
    return count;
  };
  const format = next();
  if (format !== FORMAT) throw corrupt(`it has format ${format}, not ${FORMAT}`);
  const analyzer = next();
  if (analyzer !== ANALYZER_VERSION) throw corrupt(`its analyzer is ${analyzer}, not ${ANALYZER_VERSION}`);
  const lengths = fill(new Uint32Array(FIELDS.length), next);
  const counts = fill(new Uint32Array(nextCount()), next);
  const wordFields = fill(new Uint8Array(nextCount()), next);
  const size = next();
  if (size !== bytes.length - offset) throw corrupt(`its text has ${bytes.length - offset} bytes, not ${size}`);
  const lines = decodeText(bytes.subarray(offset)).split('\n');
  const terms = lines.slice(0, Math.max(1, counts.length));
  const words = lines.slice(terms.length);
  return {
    terms: checkedLines(terms, counts.length),
    counts,
    lengths,
    words: checkedLines(words, wordFields.length),
    wordFields,
  };
}

function fill<A extends Uint32Array | Uint8Array>(array: A, next: () => number): A {
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

/** An empty list is stored as one empty line. */
function checkedLines(lines: readonly string[], count: number): readonly string[] {
  if (count === 0 && lines.length === 1 && lines[0] === '') return [];
  if (lines.length !== count) throw corrupt(`it has ${lines.length} words, not ${count}`);
  return lines;
}

function corrupt(reason: string, cause?: unknown): DowserError {
  return new DowserError('STORE_CORRUPT', `A stored text analysis cannot be read: ${reason}.`, {
    hint: 'Analyze the unit again from its text.',
    cause,
  });
}
