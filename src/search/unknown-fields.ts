import { meantField } from '../model/meant-name.ts';
import { searchRequestSchema, weightsSchema } from '../model/query.ts';

const FIELDS = Object.keys(searchRequestSchema.shape);
const KNOWN: ReadonlySet<string> = new Set(FIELDS);
const LEGS = Object.keys(weightsSchema.shape);

/** A request may have thousands of them; the first few say enough. */
const MAX_NAMED = 5;
const MAX_CHARS = 60;

/**
 * A sentence for each field of a search that does not exist, so that a wrong name is not mistaken for a setting that took
 * effect. The search goes on: clients of the registry send fields of their own.
 */
export function unknownFields(request: { readonly weights?: object | undefined }): readonly string[] {
  const names: string[] = [];
  for (const name of Object.keys(request)) if (!KNOWN.has(name)) names.push(name);
  const legs = request.weights === undefined ? [] : Object.keys(request.weights).filter((leg) => !LEGS.includes(leg));
  const count = names.length + legs.length;
  if (count === 0) return names;
  const sentences = [
    ...names.slice(0, MAX_NAMED).map((name) => sentenceFor('', name, FIELDS)),
    ...legs.slice(0, Math.max(0, MAX_NAMED - names.length)).map((leg) => sentenceFor('weights.', leg, LEGS)),
  ];
  if (count > MAX_NAMED) sentences.push(`Other fields that are ignored: ${count - MAX_NAMED}.`);
  return sentences;
}

/** `within` is what its place is called, '' for the request itself. */
function sentenceFor(within: string, name: string, fields: readonly string[]): string {
  const meant = meantField(name, fields);
  const hint = meant === undefined ? '' : ` Did you mean '${within}${meant}'?`;
  return `A search has no field '${within}${shown(name)}'; it is ignored.${hint}`;
}

function shown(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const characters = Array.from(line.slice(0, 2 * MAX_CHARS));
  return characters.length <= MAX_CHARS ? line : `${characters.slice(0, MAX_CHARS).join('')}...`;
}
