import { toolsOf } from '../../model/entity-types/table.ts';
import { trimStartChars } from '../../model/text/trim-chars.ts';
import type { EntityRecord } from '../../registry/contract/registry.ts';
import { formatCount } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { cut, eachOnOneLine, oneLine, textWidth, wrap } from './text-width.ts';

type Part = Readonly<Record<string, unknown>>;

const isPart = (value: unknown): value is Part => value !== null && typeof value === 'object' && !Array.isArray(value);

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The indent of a value below the name of its field. */
const BELOW = '    ';

function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(', ');
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

/** The name and description of a tool, a skill or a relation, on one line: there may be hundreds. */
function partLine(part: Part): string {
  const { name, id, target, tool_alias, description } = part;
  const called = [name, id, target, tool_alias].find((value) => typeof value === 'string' && value !== '');
  return [called ?? JSON.stringify(part), description]
    .filter((value) => !isEmpty(value))
    .map(text)
    .join('  ');
}

/** The tools of a virtual server under their aliases, each with its backend tool. */
function virtualRows(entity: Extract<EntityRecord['entity'], { type: 'virtual_server' }>) {
  const { tool_mappings: mappings } = entity;
  const tools = toolsOf(entity).map(({ name, description }, i) => {
    const { backend_server_path: backend, tool_name, backend_version: version } = mappings[i]!;
    const place = `${backend}#${tool_name}${isEmpty(version) ? '' : `, version ${version}`}`;
    return { name: `${name} (${place})`, description };
  });
  return { backends: [...new Set(mappings.map(({ backend_server_path }) => backend_server_path))], tools };
}

/** The fields of an entity that have a value, in their order. */
function fieldsOf({ entity, created_at, updated_at }: EntityRecord): readonly (readonly [string, unknown])[] {
  const { type: _type, path: _path, name: _name, description: _description, ...fields } = entity;
  const own = Object.entries({ ...fields, created_at, updated_at });
  const all = own.flatMap(([field, value]) =>
    entity.type === 'virtual_server' && field === 'tool_mappings'
      ? Object.entries(virtualRows(entity))
      : [[field, value] as const],
  );
  return all.filter(([, value]) => !isEmpty(value));
}

/** Text of several lines. Long lines are broken at blanks. */
function textLines(value: string, width: number): readonly string[] {
  return trimStartChars(eachOnOneLine(value).trimEnd(), '\n')
    .split('\n')
    .flatMap((line) => wrap(line, width));
}

/** A value that is too long to go beside the name of its field. JSON is not broken, so that it can be copied. */
function longLines(value: unknown, width: number): readonly string[] {
  if (typeof value === 'string') return textLines(value, width);
  if (Array.isArray(value)) return value.flatMap((item) => longLines(item, width));
  return eachOnOneLine(JSON.stringify(value, null, 2)).split('\n');
}

const hasOneLine = (value: unknown): boolean => typeof value !== 'string' || !value.trim().includes('\n');

/** A whole entity for people: name, description, then every field that has a value. */
export function entityCard(record: EntityRecord, terminal: Terminal): string {
  const { style, columns } = terminal;
  const { type, path, name, description } = record.entity;
  const label = `${type}:${oneLine(path)}`;
  const title = oneLine(name);
  const isOneLine = title !== '' && textWidth(`${title} ${label}`) <= columns;
  const titles = title === '' || isOneLine ? [] : wrap(title, columns).map((line) => style.bold(line));
  const lines = [...titles, `${isOneLine ? `${style.bold(title)} ` : ''}${style.dim(label)}`];
  if (description !== '') lines.push(...textLines(description, columns));
  const rows = fieldsOf(record);
  const width = Math.max(...rows.map(([field]) => field.length));
  const below = columns - BELOW.length;
  for (const [field, value] of rows) {
    const parts = Array.isArray(value) && value.every(isPart) ? value : undefined;
    const short = parts === undefined ? text(value) : formatCount(parts.length);
    const isBeside = hasOneLine(value) && textWidth(short) <= columns - width - 4;
    lines.push(isBeside ? `  ${style.dim(field.padEnd(width))}  ${short}` : `  ${style.dim(field)}`);
    const more = isBeside ? (parts?.map((part) => cut(partLine(part), below)) ?? []) : longLines(value, below);
    for (const line of more) lines.push(`${BELOW}${line}`.trimEnd());
  }
  return `${lines.join('\n')}\n`;
}
