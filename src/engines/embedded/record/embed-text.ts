import { FIELDS, type Unit } from '../../../model/entity-parts/unit.ts';
import { fromStoredText, toStoredText } from '../../stored-text.ts';

/**
 * The text to embed of a unit as it is stored: where it repeats a field of the unit, it has a backslash and the position of the
 * field in FIELDS; `\\t` for the tags as they are listed in it. No other stored text has a backslash before these: see
 * `toStoredText`. So texts that earlier versions have stored read the same.
 */
const TAGS = 't';

/** A shorter text is stored as it is. */
const MIN_CHARS = 4;

interface Repeated {
  readonly sign: string;
  readonly text: string;
}

export function toStoredEmbedText({ embedText, fields }: Pick<Unit, 'embedText' | 'fields'>): string {
  const repeated: Repeated[] = [];
  for (const [position, field] of FIELDS.entries()) repeated.push({ sign: `${position}`, text: fields[field] ?? '' });
  repeated.push({ sign: TAGS, text: listed(fields.tags) });
  const long = repeated.filter(({ text }) => text.length >= MIN_CHARS && text.length <= embedText.length);
  // The longest first: a name is often in the description too.
  return shortened(
    embedText,
    long.sort((a, b) => b.text.length - a.text.length),
    0,
  );
}

/** `fields`: those of the unit as JSON. */
export function fromStoredEmbedText(stored: string, fields: string): string {
  if (!stored.includes('\\')) return stored;
  const known: Unit['fields'] = JSON.parse(fields);
  return stored
    .split(/(\\[0-7t])/)
    .map((part, i) => (i % 2 === 0 ? fromStoredText(part) : meant(part.charAt(1), known)))
    .join('');
}

const meant = (sign: string, fields: Unit['fields']): string =>
  sign === TAGS ? listed(fields.tags) : (fields[FIELDS[Number(sign)]!] ?? '');

const listed = (tags = ''): string => tags.replaceAll('\n', ', ');

function shortened(text: string, repeated: readonly Repeated[], from: number): string {
  for (let i = from; i < repeated.length; i++) {
    const { sign, text: known } = repeated[i]!;
    const at = text.indexOf(known);
    if (at < 0) continue;
    const [before, after] = [text.slice(0, at), text.slice(at + known.length)];
    return `${shortened(before, repeated, i + 1)}\\${sign}${shortened(after, repeated, i + 1)}`;
  }
  return toStoredText(text);
}
