import type { EntityRecord } from '../../registry/registry.ts';
import { formatCount } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { cut, oneLine, textWidth } from './text-width.ts';

/** How many tools, skills or mappings are listed. */
const MOST_PARTS = 20;

type Part = Readonly<Record<string, unknown>>;

const isPart = (value: unknown): value is Part => value !== null && typeof value === 'object' && !Array.isArray(value);

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(', ');
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

/** What a tool, a skill or a mapping is called, and what it says of itself. */
function partLine(part: Part): string {
  const { name, alias, tool_name, id, description, description_override, target } = part;
  const called = [alias, name, tool_name, id, target].find((value) => typeof value === 'string' && value !== '');
  const said = description_override ?? description;
  return [called ?? JSON.stringify(part), said]
    .filter((value) => !isEmpty(value))
    .map(text)
    .join('  ');
}

/** An entity for people: its name, what it says, then every field that has a value, a line each, cut to the terminal. */
export function entityCard({ entity, created_at, updated_at }: EntityRecord, terminal: Terminal): string {
  const { style, columns } = terminal;
  const { type, path, name, description, ...fields } = entity;
  const label = `${type}:${oneLine(path)}`;
  const title = cut(oneLine(name), Math.max(8, columns - textWidth(label) - 1));
  const lines = [`${title === '' ? '' : `${style.bold(title)} `}${style.dim(label)}`];
  if (description !== '') lines.push(oneLine(description));
  const rows = Object.entries({ ...fields, created_at, updated_at }).filter(([, value]) => !isEmpty(value));
  const width = Math.max(...rows.map(([field]) => field.length));
  for (const [field, value] of rows) {
    const label = style.dim(field.padEnd(width));
    const parts = Array.isArray(value) && value.every(isPart) ? value : undefined;
    const shown = parts === undefined ? text(value) : formatCount(parts.length);
    lines.push(`  ${label}  ${cut(shown, columns - width - 4)}`);
    for (const part of parts?.slice(0, MOST_PARTS) ?? []) lines.push(`    ${cut(partLine(part), columns - 4)}`);
    if (parts !== undefined && parts.length > MOST_PARTS) lines.push(`    and ${parts.length - MOST_PARTS} more`);
  }
  return `${lines.join('\n')}\n`;
}
