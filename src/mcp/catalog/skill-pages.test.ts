import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { describe, expect, it } from 'vitest';
import { parseEntity, type Skill } from '../../model/entity.ts';
import { skillFrontMatter, skillMd } from '../../model/skill-md.ts';
import { skillUri } from './skill-pages.ts';

const skill = (fields: object = {}) =>
  parseEntity({ type: 'skill', path: '/skills/tea', name: 'tea', ...fields }).entity as Skill;

describe('a skill as a file', () => {
  it.each([
    ['a plain one', { description: 'Makes tea', body: '# Tea\n' }],
    [
      'one with everything',
      {
        description: 'Quotes " and \\ and: colons\nand lines — ünï 東京',
        license: 'MIT',
        compatibility: 'Needs water',
        allowed_tools: ['Read', 'Bash(git:*)'],
        author: 'Someone: else',
        version: '1.0',
        tags: ['a', '- b'],
        body: '---\nnot: a head\n---\n',
      },
    ],
    [
      'one with metadata of every kind',
      { metadata: { team: 'a: b', 'two words': 'x', deep: { l: [1, 'y'] }, on: true } },
    ],
    ['one whose tags have commas', { tags: ['a, b', 'c'] }],
    ['one whose metadata has names of the head', { metadata: { name: ['x'], tags: { a: 1 }, version: 2 } }],
    ['one without a description', {}],
    ['one whose description is too long', { description: '🙂'.repeat(3000) }],
  ])('%s reads back as the front matter says', async (_, fields) => {
    const one = skill(fields);
    const entry = await skillEntry('skills/tea', { 'SKILL.md': skillMd(one) });
    expect(entry.frontmatter).toEqual(skillFrontMatter(one));
    expect(entry.uri).toBe(skillUri(one));
  });
});

describe('the URI of a skill', () => {
  it.each([
    ['/skills/tea', 'tea', 'skill://skills/tea/SKILL.md'],
    ['tea', 'tea', 'skill://tea/SKILL.md'],
    ['/skills/other', 'Tea Maker', 'skill://skills/other/tea-maker/SKILL.md'],
    ['a b/ü#?', 'tea', 'skill://a%20b/%C3%BC%23%3F/tea/SKILL.md'],
    ['/a/../b', 'tea', null],
  ])('of %j named %j is %j', (path, name, uri) => {
    expect(skillUri(skill({ path, name }))).toBe(uri);
  });
});
