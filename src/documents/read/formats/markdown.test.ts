import { describe, expect, it } from 'vitest';
import { describedBlocks } from '../../../../test/support/described-blocks.ts';
import { readMarkdown } from './markdown.ts';

const read = (text: string, name = 'guide.md') => readMarkdown({ name, text });
const blocksOf = (text: string) => describedBlocks(read(text));

describe('readMarkdown', () => {
  it('gives headings, paragraphs, code and tables in order', () => {
    expect(
      blocksOf(
        '# Pump\nRead this.\n\n## Parts ##\n\n| Part | Weight |\n|---|--:|\n| PX-40 | 3 kg |\n\n~~~sh\n# no heading\n~~~\nEnd',
      ),
    ).toEqual([
      'heading 1 <Pump>: # Pump',
      'text: Read this.',
      'heading 2 <Parts>: ## Parts ##',
      'table: | Part | Weight |\n|---|--:|\n| PX-40 | 3 kg |',
      'code: ~~~sh\n# no heading\n~~~',
      'text: End',
    ]);
  });

  it.each([
    ['#NoSpace', 'text: #NoSpace'],
    ['######', 'text: ######'],
    ['####### seven', 'text: ####### seven'],
    ['    # indented', 'text:     # indented'],
    ['a | b', 'text: a | b'],
    ['Title\n=====', 'heading 1 <Title>: Title\n====='],
    ['Title\n---', 'heading 2 <Title>: Title\n---'],
    ['two\nlines\n---', 'text: two\nlines\n---'],
    ['# C# and F#', 'heading 1 <C# and F#>: # C# and F#'],
    [
      '## **Bold** [link](http://x) `code` snake_case',
      'heading 2 <Bold link code snake_case>: ## **Bold** [link](http://x) `code` snake_case',
    ],
    ['```\nnever closed\n# x', 'code: ```\nnever closed\n# x'],
    ['````\n```\n````', 'code: ````\n```\n````'],
  ])('reads %j', (text, block) => {
    expect(blocksOf(text)).toEqual([block]);
  });

  it('reads front matter into metadata, and nothing of it into blocks', () => {
    const text = '---\ntitle: The pump\ntags: [a, b]\ndraft: true\nnested: {x: 1}\n---\n# Other\ntext';
    const document = read(text);
    expect(document.title).toBe('The pump');
    expect(document.metadata).toEqual({ title: 'The pump', tags: ['a', 'b'], draft: true });
    expect(describedBlocks(document)).toEqual(['heading 1 <Other>: # Other', 'text: text']);
    expect(document.text).toBe(text);
  });

  it('reads front matter that is too long as text, and says so', () => {
    const document = read(`---\n${'key: value\n'.repeat(100_000)}---\ntext`);
    expect(document.warnings).toEqual(['The front matter is too long. It was read as text.']);
  });

  it('takes its title from the first heading of level 1, any heading, or the name', () => {
    expect(read('## Second\n# First').title).toBe('First');
    expect(read('## Second').title).toBe('Second');
    expect(read('text', 'pump.v2.md').title).toBe('pump.v2');
  });

  it('knows the header and the rows of a table', () => {
    const { text, blocks } = read('| A | B\\|C |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\nafter');
    const { headers, headerEnd, rowStarts } = blocks[0]!.table!;
    expect(headers).toEqual(['A', 'B|C']);
    expect(text.slice(0, headerEnd)).toBe('| A | B\\|C |\n|---|---|');
    expect(rowStarts.map((at) => text.slice(at, at + 5))).toEqual(['| 1 |', '| 3 |']);
  });

  it('reads a line of a million spaces, marks or pipes', () => {
    for (const unit of [' ', '#', '# ', '|', '`', '[', '*', '- ']) {
      expect(read(`# x${unit.repeat(1_000_000)}\n${unit.repeat(1_000_000)}`).blocks.length).toBeGreaterThan(0);
    }
  });
});
