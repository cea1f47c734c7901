import { DowserError, type ErrorCode } from '../errors/errors.ts';

/**
 * The bounds of what others send, in one table: work that a request can ask for must end soon. Whatever exceeds one is refused
 * with an error that names the field and the limit. `docs/security.md` has the same table.
 */
export const LIMITS = {
  json_depth: { max: 200, meaning: 'Levels of nesting in a JSON body.' },
  json_fields: { max: 2000, meaning: 'Fields of one JSON object, in a body and in an entity.' },
  json_items: { max: 20_000, meaning: 'Items of one list, in a body and in an entity.' },
  json_values: { max: 1_000_000, meaning: 'Values of one JSON body, at every level.' },
  entity_depth: { max: 100, meaning: 'Levels of nesting in an entity.' },
  entity_values: { max: 250_000, meaning: 'Values of one entity, at every level.' },
  object_chars: {
    max: 250_000,
    meaning:
      'Characters of one free-form object: `metadata`, `inputSchema`, `capabilities`, `card`, `server_json`, `ard_entry`.',
  },
  form_fields: { max: 2000, meaning: 'Fields of a form.' },
  front_matter_chars: { max: 16_000, meaning: 'Characters of the front matter of a skill.' },
  front_matter_parts: { max: 1000, meaning: 'Lines and commas in the front matter of a skill.' },
  warnings: { max: 100, meaning: 'Warnings of one answer. The last one counts the rest.' },
} as const satisfies Readonly<Record<string, { readonly max: number; readonly meaning: string }>>;

export type LimitName = keyof typeof LIMITS;

/** `what` says what is too much and where: `'metadata' of the entity has 5000 fields`. */
export function beyondLimit(
  name: LimitName,
  what: string,
  { code = 'INVALID_REQUEST', field }: { readonly code?: ErrorCode; readonly field?: string | undefined } = {},
): DowserError {
  const { max } = LIMITS[name];
  return new DowserError(code, `${what}; the limit is ${max} (${name}).`, {
    field,
    hint: 'Send less, or split it. The documentation on security lists the limits.',
    details: { max },
  });
}

/** The first warnings, and how many more there are. */
export function limitWarnings(warnings: readonly string[], max: number = LIMITS.warnings.max): readonly string[] {
  if (warnings.length <= max) return warnings;
  return [...warnings.slice(0, max - 1), `Other warnings: ${warnings.length - max + 1}.`];
}
