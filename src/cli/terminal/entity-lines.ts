import { type Entity, idOf } from '../../model/entity.ts';
import type { EntityRecord } from '../../registry/contract/registry.ts';
import type { Terminal } from './terminal.ts';
import { cut, oneLine, padEnd, textWidth } from './text-width.ts';

/** Most memories have neither name nor description. */
const aboutOf = (entity: Entity): string =>
  entity.description === '' && entity.type === 'memory' ? entity.content : entity.description;

/**
 * A line for each entity: `type:path`, which is never cut because people copy it, then name and description as far as they
 * fit. An id that is wider than half of the terminal has a line of its own.
 */
export function entityLines(records: readonly EntityRecord[], { columns, style }: Terminal): readonly string[] {
  const ids = records.map(({ entity }) => oneLine(idOf(entity)));
  const half = Math.floor(columns / 2);
  const width = Math.max(0, ...ids.map(textWidth).filter((cells) => cells <= half));
  return records.flatMap(({ entity }, i) => {
    const id = ids[i]!;
    const marks = [entity.status === 'active' ? '' : entity.status, entity.is_enabled ? '' : 'disabled'];
    const mark = marks
      .filter((word) => word !== '')
      .map((word) => `${word}  `)
      .join('');
    const room = columns - width - 2 - mark.length;
    const name = cut(oneLine(entity.name), room);
    const gap = name === '' ? '' : '  ';
    const description = cut(oneLine(aboutOf(entity)), room - textWidth(name) - gap.length);
    const rest = `${style.yellow(mark)}${style.bold(name)}${description === '' ? '' : `${gap}${description}`}`;
    const isBeside = textWidth(id) <= width;
    const head = style.cyan(isBeside ? padEnd(id, width) : id);
    return (isBeside ? [`${head}  ${rest}`] : [head, `${' '.repeat(width)}  ${rest}`]).map((line) => line.trimEnd());
  });
}
