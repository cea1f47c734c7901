import { z } from 'zod';
import { STATUSES } from '../entity-parts/names.ts';
import type { Unit } from '../entity-parts/unit.ts';
import { chunkText } from '../text/chunks.ts';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { nonEmpty, otherHit, pathSchema, sharedFields, strings, text } from './fields.ts';
import { cardOf, labeled, makeUnit, textUnits } from './make-units.ts';
import { SOURCE_CLASSES } from './memory-facts.ts';

/** The longest content of one memory. */
export const MAX_MEMORY_CHARS = 1_000_000;
export const MAX_TURNS = 5000;

const ISO_MOMENT = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** A date or a time. A time without a zone is UTC, as a date is. */
export const momentSchema = text(64)
  .refine(
    (s) => ISO_MOMENT.test(s) && !Number.isNaN(Date.parse(s)),
    'must be a date or time in ISO 8601, such as 2026-03-01T09:30:00Z',
  )
  .transform((s) => (/^[^T ]+[T ][^Z+-]+$/.test(s) ? `${s}Z` : s));

export const turnSchema = z.object({
  role: nonEmpty(64),
  content: nonEmpty(MAX_MEMORY_CHARS),
  at: momentSchema.optional(),
});
export type Turn = z.output<typeof turnSchema>;

/** Why a memory is no longer current, and how it was before. */
const supersededSchema = z.object({
  /** The path of the memory that replaced it. */
  by: pathSchema,
  at: momentSchema,
  reason: text(4000).default(''),
  previous_status: z.enum(STATUSES),
  previous_invalid_at: momentSchema.optional(),
});

const schema = z.object({
  type: z.literal('memory'),
  ...sharedFields,
  name: text(1024).default(''),
  content: nonEmpty(MAX_MEMORY_CHARS),
  /** The registry computes it: see `memory-hash.ts`. */
  content_hash: text(64).optional(),
  memory_type: text(64).optional(),
  source_class: z.enum(SOURCE_CLASSES, `must be one of ${SOURCE_CLASSES.join(', ')}`).optional(),
  /** How sure its writer was. It fades: see `certainty.ts`. */
  certainty: z.number().min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1').optional(),
  agent_id: text(256).optional(),
  conversation_id: text(256).optional(),
  /** When it was learned. */
  created_at: momentSchema.optional(),
  valid_from: momentSchema.optional(),
  invalid_at: momentSchema.optional(),
  superseded: supersededSchema.optional(),
  /** The paths of the memories that it replaced. */
  supersedes: strings(200),
  /** The content hashes of the memories that it was made from. */
  derived_from: strings(200),
  deleted_at: momentSchema.optional(),
  /** A conversation: `content` is the whole of it, each turn is a unit. */
  turns: z.array(turnSchema).max(MAX_TURNS).default([]),
});
type Memory = z.output<typeof schema>;

/** The text of a turn, as it stands in the content of its conversation. */
export const turnLine = ({ role, content }: Pick<Turn, 'role' | 'content'>): string => `[${role}] ${content}`;

/** A turn is a unit, a long one several: `turn:3`, `turn:3.1`. The key says which turn was found. */
function turnUnits(memory: Memory): readonly Unit[] {
  const card = cardOf(memory, {}, [memory.name, memory.description, labeled('Tags', memory.tags)]);
  const turns = memory.turns.flatMap((turn, at) =>
    chunkText(turnLine(turn)).map((body, part) => {
      const key = part === 0 ? `turn:${at}` : `turn:${at}.${part}`;
      return makeUnit(memory, key, 'chunk', `${card.title} (turn ${at + 1})`, { body }, [body]);
    }),
  );
  return [card, ...turns];
}

export const memory = {
  ...PLAIN,
  schema,
  role: 'content',
  words: ['memory', 'memories'],
  group: 'memories',
  hit: otherHit,
  texts: ({ name, content }) => [{ field: 'content', name, text: content }],
  cardText: ({ content }) => content,
  units: (memory) => (memory.turns.length > 0 ? turnUnits(memory) : textUnits(memory, memory.content)),
} as const satisfies EntityTypeDescriptor<Memory>;
