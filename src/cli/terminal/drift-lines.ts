import type { Drift } from '../../registry/provenance/observation.ts';
import type { Terminal } from './terminal.ts';
import { cut, oneLine } from './text-width.ts';

/** What changed, a line each, indented below the name of whatever changed. */
export function driftLines(drift: Drift, { style, columns }: Terminal): readonly string[] {
  const named = (label: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`  ${label}: ${names.map(oneLine).join(', ')}`];
  const changed = drift.changed.flatMap(({ name, changes }) => [
    `  changed: ${oneLine(name)}`,
    ...changes.flatMap(({ at, before, after }) => [
      `    ${at}`,
      style.red(`      - ${cut(oneLine(before), columns - 8)}`),
      style.green(`      + ${cut(oneLine(after), columns - 8)}`),
    ]),
  ]);
  return [...named('added', drift.added), ...named('removed', drift.removed), ...changed];
}
