import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entity, parseEntity } from '../entity.ts';
import { chunkText, markdownSections } from '../text/chunks.ts';
import { toolsOf, unitsOf } from './table.ts';

const entity = (input: object): Entity => parseEntity(input).entity;
const keys = (input: object) => unitsOf(entity(input)).map(({ key }) => key);

describe('units', () => {
  const server = {
    type: 'mcp_server',
    path: '/mail',
    name: 'Mail',
    description: 'Reads and sends mail.',
    tags: ['mail', 'smtp'],
    metadata: { team: 'office' },
    tools: [
      {
        name: 'send_mail',
        description: 'Sends a message.',
        inputSchema: {
          type: 'object',
          properties: {
            to: { type: 'string', description: 'Who gets it' },
            parts: { items: { properties: { kind: {} } } },
          },
        },
      },
      { name: 'send_mail', description: 'The same name again.' },
    ],
  };

  it('of a server are its card and each tool, with keys that stay unique', () => {
    expect(keys(server)).toEqual(['card', 'tool:send_mail', 'tool:send_mail~2']);
  });

  it('of a tool search its title, and leave its name as it is', () => {
    const titled = {
      ...server,
      tools: [{ name: 'send_mail', title: 'Post a letter', annotations: { readOnlyHint: false } }],
    };
    const tool = unitsOf(entity(titled))[1]!;
    expect([tool.title, tool.fields.name, tool.fields.metadata]).toEqual([
      'send_mail',
      'send_mail',
      'Mail\nPost a letter',
    ]);
    expect(tool.embedText).toContain('Post a letter');
    const alone = unitsOf(entity({ type: 'tool', path: '/t', name: 't', title: 'Post a letter' }))[0]!;
    expect([alone.fields.metadata, alone.title]).toEqual(['Post a letter', 't']);
  });

  it('keep their keys apart whatever the names are', () => {
    const tools = ['a', 'a', 'a~2', 'a', 'x#card', 'x%23card'].map((name) => ({ name }));
    const found = keys({ type: 'mcp_server', path: '/y', name: 'Y', tools });
    expect(new Set(found).size).toBe(7);
    expect(found.every((key) => !key.includes('#'))).toBe(true);
  });

  it('are derived from the largest values too', () => {
    const list = Array.from({ length: 20_000 }, (_, i) => i);
    const properties = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`p${i}`, {}]));
    const huge = {
      type: 'mcp_server',
      path: '/h',
      name: 'H',
      metadata: { list },
      tools: [{ name: 't', inputSchema: { properties } }],
    };
    expect(keys(huge)).toEqual(['card', 'tool:t']);
  });

  it('of a server embed name, description, tags, tools and metadata, but neither path nor schema', () => {
    const [card] = unitsOf(entity(server));
    for (const part of [
      'Mail',
      'Reads and sends mail.',
      'Tags: mail, smtp',
      'send_mail Sends a message.',
      'team office',
    ]) {
      expect(card!.embedText).toContain(part);
    }
    expect(card!.embedText).not.toContain('/mail');
    expect(card!.embedText).not.toContain('Who gets it');
  });

  it('of a tool index the names and descriptions of its parameters, nested ones too', () => {
    const tool = unitsOf(entity(server))[1]!;
    expect(tool.fields.parameters?.split('\n')).toEqual(['to', 'Who gets it', 'parts', 'kind']);
    expect(tool.title).toBe('send_mail');
  });

  it('of an agent embed its capabilities and are one for each skill', () => {
    const agent = {
      type: 'a2a_agent',
      path: '/fx',
      name: 'Exchange',
      capabilities: { streaming: true, pushNotifications: false },
      skills: [{ id: 'convert', name: 'Convert', description: 'Converts money.', examples: ['10 EUR in USD?'] }],
    };
    expect(keys(agent)).toEqual(['card', 'agent_skill:convert']);
    const [card, skill] = unitsOf(entity(agent));
    expect(card!.embedText).toContain('Capabilities: streaming, pushNotifications');
    expect(skill!.fields.body).toBe('10 EUR in USD?');
  });

  it('of a skill are its card and the sections of its text', () => {
    const skill = {
      type: 'skill',
      path: '/skills/pdf',
      name: 'pdf',
      body: 'Intro.\n# Read\nUse it.\n## Tables\nRows.\n# Empty\n',
    };
    expect(unitsOf(entity(skill)).map(({ title }) => title)).toEqual(['pdf', 'pdf', 'Read', 'Read > Tables']);
  });

  it('of a skill embed its author, version and metadata, one level deep', () => {
    const skill = {
      type: 'skill',
      path: '/skills/pdf',
      name: 'pdf',
      author: 'docs team',
      version: '2.1',
      metadata: { reads: { formats: 'PDF/A' } },
    };
    expect(unitsOf(entity(skill))[0]!.embedText).toMatch(/Author: docs team.*reads PDF\/A.*version 2\.1/s);
  });

  it('of a virtual server carry aliases and overrides', () => {
    const virtual = {
      type: 'virtual_server',
      path: '/virtual/dev',
      name: 'Dev',
      tool_mappings: [
        { tool_name: 'search', alias: 'find_code', backend_server_path: '/code', description_override: 'Finds code.' },
      ],
    };
    expect(keys(virtual)).toEqual(['card', 'tool:find_code']);
    expect(unitsOf(entity(virtual))[0]!.embedText).toContain('Tools: find_code');
  });

  it('of a short document are its card alone, of a long one also its chunks', () => {
    expect(keys({ type: 'document', path: 'd', name: 'Short', body: 'One line.' })).toEqual(['card']);
    const long = 'A sentence of some length that says little. '.repeat(60);
    expect(keys({ type: 'document', path: 'd', name: 'Long', body: long }).slice(0, 3)).toEqual([
      'card',
      'chunk:0',
      'chunk:1',
    ]);
  });

  describe('carry the questions that they answer', () => {
    const QUESTION = 'will I need an umbrella';
    const QUEUE = 'how long is the queue at the ferry';
    const metadata = { representative_queries: [QUESTION, '', 7] };
    const many = Array.from({ length: 60 }, (_, i) => ({
      name: `tool_${i}`,
      description: 'Does one thing of many. '.repeat(4),
    }));

    it.each([
      ['a server', { type: 'mcp_server', tools: many, metadata }],
      ['a tool', { type: 'tool', metadata }],
      ['a virtual server', { type: 'virtual_server', metadata }],
      ['an agent', { type: 'a2a_agent', metadata, skills: many }],
      ['a skill', { type: 'skill', metadata }],
      ['a package', { type: 'package', metadata: { representativeQueries: [QUESTION] } }],
    ])('%s on its card, by keyword and early in what is embedded', (_, input) => {
      const [card] = unitsOf(entity({ path: '/w', name: 'Sky', description: 'Says what the sky will do.', ...input }));
      expect(Object.values(card!.fields).join('\n')).toContain(QUESTION);
      expect(card!.embedText.indexOf(QUESTION)).toBeGreaterThan(0);
      expect(card!.embedText.indexOf(QUESTION)).toBeLessThan(200);
      expect(card!.embedText.split(QUESTION)).toHaveLength(2);
    });

    it.each([
      ['a tool of a server', { type: 'mcp_server', tools: [{ name: 'a', examples: [QUEUE] }] }, 1],
      ['a tool of its own', { type: 'tool', examples: [QUEUE] }, 0],
      ['a skill of an agent', { type: 'a2a_agent', skills: [{ name: 'a', examples: [QUEUE] }] }, 1],
    ])('%s among its examples, by keyword and by meaning', (_, input, at) => {
      const unit = unitsOf(entity({ path: '/w', name: 'Harbour', ...input }))[at]!;
      expect(unit.fields.body).toBe(QUEUE);
      expect(unit.embedText).toContain(QUEUE);
    });
  });

  it('never embed an empty text as if it were one', () => {
    const [card] = unitsOf(entity({ type: 'document', path: 'empty' }));
    expect(card!.embedText).toBe('');
    expect(card!.title).toBe('empty');
  });
});

describe('chunks', () => {
  it('lose no word and stay within the limit', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { maxLength: 400 });
    fc.assert(
      fc.property(words, fc.integer({ min: 60, max: 300 }), (list, max) => {
        const chunks = chunkText(list.join(' '), max, 20);
        for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(max);
        const seen = new Set(chunks.flatMap((chunk) => chunk.split(' ')));
        for (const word of list) expect(seen.has(word)).toBe(true);
      }),
    );
  });

  it('end for any text, also one without a blank', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        expect(chunkText(text, 50, 10).every((chunk) => chunk.length <= 50)).toBe(true);
      }),
    );
    expect(chunkText('x'.repeat(5000)).length).toBe(5);
    expect(chunkText('  \n ')).toEqual([]);
  });

  // Milliseconds; looking back through the whole text for each chunk would take minutes.
  it('are cut in time that grows with the text, not with its square', { timeout: 10_000 }, () => {
    chunkText('a line of text that ends in one newline only\n'.repeat(200_000));
  });

  it('split Markdown at real headings only', () => {
    const sections = markdownSections('```\n# not one\n```\n#also not\n###### \n# A ##\ntext\n### Deep\nmore');
    expect(sections.map(({ heading }) => heading)).toEqual(['', 'A', 'A > Deep']);
  });
});

describe('the tools of a virtual server', () => {
  const mapping = (alias: string) => ({ tool_name: 'send', alias, backend_server_path: '/mail' });
  const virtual = () =>
    entity({ type: 'virtual_server', path: '/virtual/v', name: 'V', tool_mappings: [mapping('one')] });
  const names = (server: Entity) => toolsOf(server).map(({ name }) => name);

  it('are listed once for a server that cannot change', () => {
    const server = Object.freeze(virtual());
    expect(toolsOf(server)).toBe(toolsOf(server));
    expect(names(server)).toEqual(['one']);
  });

  it('are listed again for a server that may have changed', () => {
    const server = virtual();
    expect(names(server)).toEqual(['one']);
    Object.assign(server, { tool_mappings: [mapping('two')] });
    expect(names(server)).toEqual(['two']);
  });
});
