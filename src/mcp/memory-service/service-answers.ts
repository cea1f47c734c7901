import type { FoundMemories, FoundMemory, Memory } from '../../memories/contract/memory-answers.ts';
import { fitChars } from '../../memories/find/fit-chars.ts';

/**
 * JSON as text. One client turns every apostrophe into a quotation mark before it parses, so none is written as such.
 */
export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("'", '\\u0027');

/** A memory with the fields that clients of the memory service know. */
export function toServiceMemory(memory: Memory | FoundMemory) {
  const { content, content_hash, tags, memory_type, metadata, source_class, superseded } = memory;
  const { created_at, created_at_iso, updated_at, updated_at_iso } = memory;
  return {
    content,
    content_hash,
    tags,
    memory_type,
    metadata,
    created_at,
    created_at_iso,
    updated_at,
    updated_at_iso,
    source_class,
    superseded_by: superseded?.by ?? null,
  };
}

/** The similarity that these clients compare with a threshold: by meaning, or else the confidence. */
export const similarityOf = ({ similarity_score, confidence }: FoundMemory): number => similarity_score ?? confidence;

/** A memory as lines: of a conversation the turn that was found, with the turns before and after it. */
function linesOf(memory: FoundMemory, place: number): string {
  const { content, content_hash, created_at_iso, tags, source_class, debug_info, match } = memory;
  const turn = match === null || match.turn === null ? null : match;
  const lines = [`${place}. ${turn === null ? content : `${turn.text} (turn ${turn.turn})`}`];
  if (turn?.before != null) lines.push(`   Before: ${turn.before}`);
  if (turn?.after != null) lines.push(`   After: ${turn.after}`);
  lines.push(
    `   Hash: ${content_hash}`,
    `   Created: ${created_at_iso}${tags.length === 0 ? '' : ` | Tags: ${tags.join(', ')}`}`,
    `   Source: ${source_class ?? 'unknown'}`,
  );
  if (debug_info !== undefined) lines.push(`   Debug: ${JSON.stringify(debug_info)}`);
  return lines.join('\n');
}

const GAP = '\n\n';
const leftOut = (count: number): string => `(${count} more left out to fit max_response_chars)`;

type FoundText = Pick<FoundMemories, 'memories' | 'mode' | 'query' | 'warnings'>;

/** Found memories as lines, numbered. With `maxChars`, as many whole memories as the text has room for, and at least one. */
export function foundText({ memories, mode, query, warnings }: FoundText, maxChars?: number): string {
  const asked = `(mode: ${mode}${query === '' ? '' : `, query: ${query}`})`;
  if (memories.length === 0) return [`No memories found ${asked}`, ...warnings].join(GAP);
  const parts = memories.map((memory, at) => ({ content: `${linesOf(memory, at + 1)}${GAP}` }));
  const around = [`Found ${memories.length} memories ${asked}`, leftOut(memories.length), ...warnings].join(GAP);
  const { shown, omitted } = fitChars(parts, maxChars === undefined ? undefined : maxChars - around.length);
  return [
    `Found ${shown.length} memories ${asked}`,
    ...shown.map(({ content }) => content.slice(0, -GAP.length)),
    ...(omitted === 0 ? [] : [leftOut(omitted)]),
    ...warnings,
  ].join(GAP);
}

/** Why a tool of the memory service does nothing here. */
export const NOT_OFFERED: Readonly<Record<string, string>> = {
  memory_consolidate:
    'Dowser runs no consolidation in the background: nothing is merged or forgotten unless somebody asks. See `dowser memory audit` for what to clean up.',
  memory_quality: 'Dowser does not rate memories with a model. Results have a confidence and a source class instead.',
  memory_harvest:
    'Dowser does not read transcripts on the disk of its server. Store a conversation with memory_store_session.',
};
