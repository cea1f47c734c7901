import { describe, expect, it } from 'vitest';
import { describedBlocks } from '../../../../test/support/described-blocks.ts';
import { declarationOf, readSourceCode } from './source-code.ts';

const read = (text: string) => readSourceCode({ name: 'pump.ts', text });
const blocksOf = (text: string) => describedBlocks(read(text));
const long = (indent: string) => `${indent}call(1);\n`.repeat(60);

describe('readSourceCode', () => {
  it('gives a declaration with the comment above it and its body', () => {
    expect(
      blocksOf(
        'import x;\nimport y;\n\n/** Opens.\n * Twice. */\nexport function open(a) {\n  if (a) {\n    b();\n  }\n}\nrun();\n',
      ),
    ).toEqual([
      'code 1: import x;\nimport y;',
      'code 1 <export function open(a)>: /** Opens.\n * Twice. */\nexport function open(a) {\n  if (a) {\n    b();\n  }\n}',
      'code 1: run();',
    ]);
  });

  it('reads indentation without braces', () => {
    expect(blocksOf('@cached\ndef open(a):\n    """Opens."""\n    return a\n\nclass Pump:\n    size = 1\n')).toEqual([
      'code 1 <def open(a)>: @cached\ndef open(a):\n    """Opens."""\n    return a',
      'code 1 <class Pump>: class Pump:\n    size = 1',
    ]);
  });

  it('cuts a long class into its members, with the fields at its head', () => {
    const text = `class Pump {\n  size = 1;\n\n  // Starts.\n  start() {\n${long('    ')}  }\n\n  stop() {\n${long('    ')}  }\n}\n`;
    const document = read(text);
    expect(document.blocks.map(({ title, level }) => [title, level])).toEqual([
      ['class Pump', 1],
      ['start()', 2],
      ['stop()', 2],
    ]);
    const [head, start, stop] = document.blocks.map((block) => text.slice(block.start, block.end));
    expect(head).toBe('class Pump {\n  size = 1;\n\n');
    expect(start).toMatch(/^ {2}\/\/ Starts\.\n {2}start\(\) \{\n(?: {4}call\(1\);\n)+ {2}\}$/);
    expect(stop!.endsWith('  }\n}')).toBe(true);
  });

  it('reads a file with no declaration as one block', () => {
    expect(blocksOf('a: 1\nb:\n  c: 2\n')).toEqual(['code 1: a: 1\nb:\n  c: 2']);
    expect(blocksOf('\n\n')).toEqual([]);
  });

  it('reads a comment of half a million lines', () => {
    expect(read(`${'// x\n'.repeat(500_000)}f();`).blocks).toHaveLength(1);
  });
});

describe('declarationOf', () => {
  it.each([
    [
      'export default async function load(a: string): Promise<void> {',
      'export default async function load(a: string): Promise<void>',
    ],
    ['pub(crate) fn open<T>(a: T) -> T {', 'pub(crate) fn open<T>(a: T) -> T'],
    ['func (p *Pump) Start() error {', 'func (p *Pump) Start() error'],
    ['public static void main(String[] args) {', 'public static void main(String[] args)'],
    ['const load = async (a) => {', 'const load = async (a)'],
    ['def start(self, a=1):', 'def start(self, a=1)'],
    ['CREATE TABLE pumps (', 'CREATE TABLE pumps ('],
    ['int main(void) {', 'int main(void)'],
  ])('reads %j', (line, title) => expect(declarationOf(line)).toBe(title));

  it.each([
    'if (a) {',
    'for (const a of b) {',
    'return open(a);',
    'open(a);',
    'type',
    'const a = 1;',
    '} else {',
    'x'.repeat(501),
  ])('finds none in %j', (line) => expect(declarationOf(line)).toBeNull());

  it('takes any line of 500 characters', () => {
    for (const unit of ['a ', 'a(', 'a<', 'export ', '(', ') ', 'a = ']) declarationOf(unit.repeat(500).slice(0, 500));
  });
});
