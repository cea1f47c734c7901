import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from 'rolldown/experimental';

export interface SourceExpression {
  /** Below `src`, with the line. */
  readonly file: string;
  readonly line: number;
  /** Missing if it is made by `new RegExp`: only the running program knows it. */
  readonly expression?: RegExp;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** Every regular expression of the sources, found in their syntax trees: literals, and the places that call `RegExp`. */
export function sourceExpressions(folder: string): SourceExpression[] {
  const found: SourceExpression[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.tsx?$/.test(name) || /\.test\.tsx?$|\.d\.ts$/.test(name)) continue;
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    const { program, errors } = parseSync(path, text);
    if (errors.length > 0) throw new Error(`cannot parse ${path}: ${errors[0]?.message}`);
    const file = relative(folder, path);
    visit(program as unknown as Node, (node) => {
      const line = () => text.slice(0, node.start).split('\n').length;
      const literal = node.type === 'Literal' && (node.regex as { pattern: string; flags: string } | undefined);
      if (literal) found.push({ file, line: line(), expression: new RegExp(literal.pattern, literal.flags) });
      const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
      if (isCall && (node.callee as Node & { name?: string }).name === 'RegExp') found.push({ file, line: line() });
    });
  }
  return found;
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, see);
  else if (value !== null && typeof value === 'object') {
    if (typeof (value as Node).type === 'string') see(value as Node);
    for (const [key, child] of Object.entries(value))
      if (key !== 'regex' && typeof child === 'object') visit(child, see);
  }
}
