import { describe, expect, it } from 'vitest';
import { parseEntity, type Skill } from '../../model/entity.ts';
import { skillMd } from '../../model/skill-md.ts';
import { readSkillMd } from './skill-file.ts';

const FILE = `---
name: pdf-forms
description: Fill PDF forms. Use it when a PDF has fields.
license: MIT
compatibility: Needs Python 3
metadata:
  author: Ada
  version: "1.0"
  team: docs
allowed-tools: Bash(git add:*) Read
---
# Filling

Open the file.
`;

describe('readSkillMd', () => {
  it('reads the fields of the format and the text below them', () => {
    const { entity, warnings } = readSkillMd(FILE);
    expect(warnings).toEqual([]);
    expect(entity).toMatchObject({
      type: 'skill',
      path: '/skills/pdf-forms',
      name: 'pdf-forms',
      description: 'Fill PDF forms. Use it when a PDF has fields.',
      license: 'MIT',
      compatibility: 'Needs Python 3',
      author: 'Ada',
      version: '1.0',
      metadata: { team: 'docs' },
      allowed_tools: ['Bash(git add:*)', 'Read'],
      body: '# Filling\n\nOpen the file.\n',
    });
  });

  it('reads what it wrote as the same skill', () => {
    const { entity } = readSkillMd(FILE);
    expect(readSkillMd(skillMd(entity)).entity).toEqual(entity);
  });

  it.each([
    [
      'metadata of every kind',
      { metadata: { team: 'a: b', 'two words': 'x', deep: { list: [1, null, 'y'] }, on: true } },
    ],
    ['tags with commas', { tags: ['a, b', '- c'] }],
    ['tags without', { tags: ['a', '"b"', '#c'] }],
    ['a description that looks like the end of the head', { description: 'one\n---\nevil: yes' }],
    ['a body that begins with a head', { body: '---\nname: other\n---\n# Other\n' }],
    ['a body that begins with empty lines and ends without one', { body: '\n\n# Title' }],
    ['no body', { body: '' }],
    ['foreign script', { author: '東京 \u2028 \u0085', license: '\u202e', version: '1.0', compatibility: '🙂' }],
  ])('reads what was written of a skill with %s as the same skill', (_, fields) => {
    const own = { type: 'skill', path: '/skills/pack', name: 'pack', description: 'Packs.', ...fields };
    const { entity } = parseEntity(own);
    expect(readSkillMd(skillMd(entity as Skill)).entity).toEqual(entity);
  });

  it.each([
    ['a byte order mark', `\uFEFF${FILE}`],
    ['line ends of Windows', FILE.replaceAll('\n', '\r\n')],
    ['blanks behind the rulers', FILE.replaceAll('---\n', '---  \n')],
  ])('reads a file with %s alike', (_, text) => {
    expect(readSkillMd(text).entity).toEqual(readSkillMd(FILE).entity);
  });

  it.each([
    ['name: PDF Forms\ndescription: d', '/skills/pdf-forms', '\'name\' is "PDF Forms"'],
    [`name: ${'a'.repeat(65)}\ndescription: d`, undefined, "'name' has 65 characters"],
    [`name: a\ndescription: ${'d'.repeat(1025)}`, undefined, "'description' has 1025 characters"],
    ['name: a\ndescription: d\nmetadata: 7', undefined, "'metadata' is 7"],
    ['name: a\ndescription: Use this when: asked', undefined, 'not valid YAML at line 3'],
    [`name: a\ndescription: d\ncompatibility: ${'c'.repeat(501)}`, undefined, 'the first 500 were kept'],
  ])('takes %j, with a warning', (head, path, warning) => {
    const { entity, warnings } = readSkillMd(`---\n${head}\n---\nbody`);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(warning);
    expect(entity.description).not.toBe('');
    if (path !== undefined) expect(entity.path).toBe(path);
  });

  it('keeps the lines of a head that is not YAML', () => {
    const head = 'name: a\ndescription: >\n  Use it when: asked\n  twice\nlicense: "MIT"\nbad: [';
    const { entity } = readSkillMd(`---\n${head}\n---\nbody`);
    expect(entity).toMatchObject({ name: 'a', description: 'Use it when: asked twice', license: 'MIT' });
  });

  it('keeps fields that the format does not know as metadata', () => {
    const { entity } = readSkillMd('---\nname: a\ndescription: d\nmodel: big\ntags: [x, y]\nversion: 2\n---\n');
    expect(entity).toMatchObject({ metadata: { model: 'big' }, tags: ['x', 'y'], version: '2' });
  });

  it.each([
    ['no front matter', '# Title\ntext', 'content'],
    ['a head that never ends', '---\nname: a\ndescription: d\n', 'content'],
    ['no name', '---\ndescription: d\n---\n', 'name'],
    ['an empty description', '---\nname: a\ndescription: ""\n---\n', 'description'],
    ['a list for a head', '---\n- a\n---\n', 'name'],
    ['nothing', '', 'content'],
  ])('refuses %s', (_, text, field) => {
    expect(() => readSkillMd(text)).toThrow(expect.objectContaining({ code: 'INVALID_FILE', field }));
  });

  it('takes a name and a description from its caller where the file has none', () => {
    const options = { name: 'a', description: 'd' };
    expect(readSkillMd('just text', options).entity).toMatchObject({ name: 'a', description: 'd', body: 'just text' });
    expect(readSkillMd('---\nname: own\n---\n', options).entity).toMatchObject({ name: 'own', description: 'd' });
  });

  it('does not grow without bound on aliases of aliases', () => {
    const levels = 'abcdefghij'.split('').map((key, i, all) => {
      const items = i === 0 ? 'x' : `*${all[i - 1]}`;
      return `${key}: &${key} [${Array(10).fill(items).join(', ')}]`;
    });
    const head = ['name: n', 'description: d', ...levels].join('\n');
    expect(() => readSkillMd(`---\n${head}\n---\n`)).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }));
  });
});

it('says that a head is not YAML where a field is missing for it', () => {
  expect(() => readSkillMd('---\nname: [\n---\nbody')).toThrow(/no 'description'.*not valid YAML at line/);
});

describe('a front matter beyond its limits', () => {
  const head = (text: string) => `---\nname: a\ndescription: d\n${text}\n---\nbody`;

  it.each([
    ['90,000 commas', `tags: [${','.repeat(90_000)}]`, 'front_matter_chars'],
    ['5,000 commas', `tags: [${','.repeat(5000)}]`, 'front_matter_parts'],
    ['3,000 keys', Array.from({ length: 3000 }, (_, i) => `${i.toString(36)}:`).join('\n'), 'front_matter_parts'],
    ['a long text', `license: ${'x'.repeat(20_000)}`, 'front_matter_chars'],
  ])('is refused before it is parsed: %s', (_, text, limit) => {
    expect(() => readSkillMd(head(text))).toThrow(
      expect.objectContaining({
        code: 'INVALID_FILE',
        field: 'content',
        message: expect.stringContaining(`(${limit})`),
      }),
    );
  });

  it('leaves a long body alone', () => {
    expect(readSkillMd(`${head('license: MIT')}${'\n- a, b'.repeat(20_000)}`).entity.body).toHaveLength(140_004);
  });
});
