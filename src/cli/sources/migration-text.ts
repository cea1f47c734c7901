import { isEntityType } from '../../model/entity.ts';
import { ENTITY_TYPE_TABLE } from '../../model/entity-types/table.ts';
import { formatCount } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { oneLine } from '../terminal/text-width.ts';
import type { GatewayMigration } from './migrate-gateway.ts';

/** Problems, warnings and notes beyond this number are counted. `--json` has them all. */
const SHOWN = 20;

/** The report of a move for people: what came, what became of each field, what to do next. */
export function migrationText(report: GatewayMigration, { style }: Terminal): string {
  const title = (text: string) => ['', style.bold(text)];
  const lines = [
    style.bold(
      report.dry_run ? `A move from ${oneLine(report.from)} would do this` : `Moved from ${oneLine(report.from)}`,
    ),
    ...Object.entries(report.entities).map(([type, states]) => `  ${wordsOf(type)}: ${countsIn(states)}`),
    ...title('Collections'),
    ...report.collections.map(({ name, documents, why }) =>
      documents === null
        ? `  ${oneLine(name)}  ${style.dim(`not moved. ${why}`)}`
        : `  ${oneLine(name)}  ${formatCount(documents)} read`,
    ),
    ...title('Fields'),
    ...report.fields.map(({ collection, field, to, why, count }) => {
      const place = `  ${collection}.${oneLine(field)}`;
      const fate = why === undefined ? (to === field ? 'taken' : `to ${to}`) : style.yellow(`dropped. ${why}`);
      return `${place}  ${formatCount(count)}  ${fate}`;
    }),
    ...some('Not moved', [
      ...report.problems.map(({ part, code, message }) => `${part}: ${code}: ${message}`),
      ...report.skipped.map(({ part, reason }) => `${part}: ${reason}`),
    ]),
    ...some('Look at', [...report.notes, ...report.warnings.map(({ part, message }) => `${part}: ${message}`)]),
    ...some(
      'Registries that it was connected with',
      report.peers.map((peer) => `dowser add ${peer}`),
    ),
    ...(report.group_scopes === null
      ? []
      : [...title('Set what the groups may do'), `  group_scopes  ${oneLine(report.group_scopes)}`]),
  ];
  return `${lines.join('\n')}\n`;

  function some(name: string, all: readonly string[]): readonly string[] {
    if (all.length === 0) return [];
    const more = all.length - SHOWN;
    return [
      ...title(name),
      ...all.slice(0, SHOWN).map((text) => `  ${oneLine(text)}`),
      ...(more > 0 ? [`  and ${formatCount(more)} more: see --json`] : []),
    ];
  }
}

const wordsOf = (type: string): string => (isEntityType(type) ? ENTITY_TYPE_TABLE[type].words[1] : 'unknown');

const countsIn = (states: Readonly<Record<string, number | undefined>>): string =>
  Object.entries(states)
    .map(([state, count]) => `${formatCount(count ?? 0)} ${state}`)
    .join(', ');
