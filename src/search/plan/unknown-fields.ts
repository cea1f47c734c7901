import { searchRequestSchema, weightsSchema } from '../../model/query/query.ts';
import { meantField } from '../../model/text/meant-name.ts';

const FIELDS = Object.keys(searchRequestSchema.shape);
const KNOWN_FIELDS: ReadonlySet<string> = new Set(FIELDS);
const LEGS = Object.keys(weightsSchema.shape);

/** A request may have thousands of unknown fields. Only the first few are named. */
const MAX_WARNINGS = 5;
const MAX_CHARS = 60;
const MAX_FIELDS_READ = 100;

/**
 * Returns a warning for each unknown field of a search request, so that users notice a misspelled option.
 * The search still runs: clients of the registry send extra fields.
 */
export function unknownFields(request: { readonly weights?: object | undefined }): readonly string[] {
  const names: string[] = [];
  for (const name of Object.keys(request)) if (!KNOWN_FIELDS.has(name)) names.push(name);
  const legs = request.weights === undefined ? [] : Object.keys(request.weights).filter((leg) => !LEGS.includes(leg));
  const count = names.length + legs.length;
  if (count === 0) return names;
  const warnings = [
    ...names.slice(0, MAX_WARNINGS).map((name) => warningFor('', name, FIELDS)),
    ...legs.slice(0, Math.max(0, MAX_WARNINGS - names.length)).map((leg) => warningFor('weights.', leg, LEGS)),
  ];
  if (count > MAX_WARNINGS) warnings.push(`Other fields that are ignored: ${count - MAX_WARNINGS}.`);
  return warnings;
}

/** The first unknown field that was probably meant as one of these. */
export function misspelled(
  request: object,
  fields: readonly string[],
): { readonly given: string; readonly meant: string } | undefined {
  for (const name of Object.keys(request).slice(0, MAX_FIELDS_READ)) {
    const meant = KNOWN_FIELDS.has(name) ? undefined : meantField(name.slice(0, MAX_CHARS), FIELDS);
    if (meant !== undefined && fields.includes(meant)) return { given: toDisplay(name), meant };
  }
  return undefined;
}

/** `prefix` is the path of the parent object, '' for the request itself. */
function warningFor(prefix: string, name: string, fields: readonly string[]): string {
  const suggestion = meantField(name, fields);
  const hint = suggestion === undefined ? '' : ` Did you mean '${prefix}${suggestion}'?`;
  return `A search has no field '${prefix}${toDisplay(name)}'; it is ignored.${hint}`;
}

function toDisplay(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const characters = Array.from(line.slice(0, 2 * MAX_CHARS));
  return characters.length <= MAX_CHARS ? line : `${characters.slice(0, MAX_CHARS).join('')}...`;
}
