import type { AuditReport } from '../../memories/audit/audit.ts';
import type { FoundMemory, Memory } from '../../memories/contract/memory-answers.ts';
import { percent } from './percent.ts';
import type { Terminal } from './terminal.ts';
import { cut, oneLine, wrap } from './text-width.ts';

const SHORT_HASH = 12;
export const shortHash = (hash: string): string => hash.slice(0, SHORT_HASH);

const ownerName = (owner: string): string => owner || 'admins';

/** Two lines for each memory: what it says, and what is known about it. */
export function memoryLines(
  memories: readonly (Memory | FoundMemory)[],
  { columns, style }: Terminal,
): readonly string[] {
  return memories.flatMap((memory) => {
    const { content_hash, content, tags, superseded } = memory;
    const found = 'match' in memory && memory.match !== null ? memory.match.text : content;
    const facts = [
      'confidence' in memory ? `confidence ${percent(memory.confidence)}` : '',
      memory.created_at_iso.slice(0, 10),
      memory.memory_type ?? '',
      memory.source_class ?? 'unknown source',
      memory.namespace === null ? '' : `in ${memory.namespace}`,
      memory.owner === undefined ? '' : `private to ${ownerName(memory.owner)}`,
      ...tags.map((tag) => `#${tag}`),
    ].filter((word) => word !== '');
    const mark = superseded === null ? '' : style.yellow(`superseded by ${shortHash(superseded.by)}  `);
    const room = columns - SHORT_HASH - 2;
    return [
      `${style.cyan(shortHash(content_hash))}  ${cut(oneLine(found), room)}`,
      `${' '.repeat(SHORT_HASH)}  ${mark}${style.dim(cut(oneLine(facts.join('  ')), room))}`,
    ];
  });
}

/** Everything about one memory. */
export function memoryCard(memory: Memory, { columns, style }: Terminal): readonly string[] {
  const { superseded } = memory;
  const rows: readonly (readonly [string, string | null])[] = [
    ['hash', memory.content_hash],
    ['learned', memory.created_at_iso],
    ['type', memory.memory_type],
    ['source', memory.source_class ?? 'unknown'],
    ['tags', memory.tags.join(', ') || null],
    ['namespace', memory.namespace],
    ['private to', memory.owner === undefined ? null : ownerName(memory.owner)],
    ['agent', memory.agent_id],
    ['conversation', memory.conversation_id],
    ['true from', memory.valid_from],
    ['true until', memory.invalid_at],
    [
      'superseded',
      superseded === null
        ? null
        : `by ${superseded.by} at ${superseded.at}${superseded.reason === '' ? '' : `: ${superseded.reason}`}`,
    ],
    ['supersedes', memory.supersedes.join(', ') || null],
    ['metadata', Object.keys(memory.metadata).length === 0 ? null : JSON.stringify(memory.metadata)],
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === null ? [] : [`${style.dim(name.padEnd(12))}  ${oneLine(value)}`],
  );
  return [...memory.content.split('\n').flatMap((line) => wrap(line, columns)), '', ...shown];
}

/** Counts first, then what to do. */
export function auditLines(report: AuditReport, { columns, style }: Terminal): readonly string[] {
  const { never_recalled: never } = report;
  const counts: readonly (readonly [string, number])[] = [
    ['memories', report.total],
    ['superseded', report.superseded],
    ['exact duplicates', report.exact_duplicates.reduce((count, { names }) => count + names.length - 1, 0)],
    ['near duplicates', report.near_duplicates.length],
    ['contradictions, not marked', report.contradictions.length],
    ['recall loops', report.recall_loops.length],
    ['with a secret', report.secrets.length],
    ...(never === null ? [] : [['never recalled', never.count] as const]),
  ];
  const plan = report.plan.map(({ action, name, by, why }) => {
    const other = by === null ? '' : action === 'supersede' ? ` by ${shortName(by)}` : ` (${shortName(by)})`;
    return cut(`${action.padEnd(9)}  ${shortName(name)}${other}  ${oneLine(why)}`, columns);
  });
  return [
    ...counts.map(([what, count]) => `${String(count).padStart(6)}  ${what}`),
    ...(plan.length === 0 ? [] : ['', style.dim('Proposed. Nothing was changed:'), ...plan]),
  ];
}

/** A hash is cut; a path or another name is not. */
export const shortName = (name: string): string => (/^[0-9a-f]{64}$/.test(name) ? shortHash(name) : oneLine(name));
