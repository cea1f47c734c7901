import type { Drift } from '../../registry/contract/observation.ts';
import type { Terminal } from './terminal.ts';
import { cut, oneLine } from './text-width.ts';

/** The changes of an entity, one per line, indented below its name. */
export function driftText(drift: Drift, { style, columns }: Terminal, indent = '  '): string {
  const named = (label: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${label}: ${names.map(oneLine).join(', ')}`];
  const changed = drift.changed.flatMap(({ name, changes }) => [
    `changed: ${oneLine(name)}`,
    ...changes.flatMap(({ at, before, after }) => [
      `  ${at}`,
      style.red(`    - ${cut(oneLine(before), columns - 8)}`),
      style.green(`    + ${cut(oneLine(after), columns - 8)}`),
    ]),
  ]);
  const lines = [...named('added', drift.added), ...named('removed', drift.removed), ...changed];
  return lines.map((line) => `${indent}${line}\n`).join('');
}
