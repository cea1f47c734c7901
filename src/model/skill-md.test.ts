import { describe, expect, it } from 'vitest';
import { parseEntity, type Skill } from './entity.ts';
import { skillFrontMatter, skillMd, skillName } from './skill-md.ts';

const skill = (fields: object = {}) =>
  parseEntity({ type: 'skill', path: '/skills/tea', name: 'tea', ...fields }).entity as Skill;

describe('a skill as a file', () => {
  it.each([
    ['tea', 'tea'],
    ['Tea Maker!', 'tea-maker'],
    ['Café  au lait', 'cafe-au-lait'],
    ['東京', 'skill'],
    ['x'.repeat(100), 'x'.repeat(64)],
    ['a--b', 'a-b'],
  ])('has the name %j as %j', (name, expected) => {
    expect(skillName({ name, path: '/p' })).toBe(expected);
  });

  it('says everything that the skill does, by the rules of the format', () => {
    const one = skill({
      description: 'Makes tea',
      license: 'MIT',
      compatibility: 'Needs water',
      allowed_tools: ['Read', 'Bash(git:*)'],
      author: 'Ada',
      version: '1.0',
      tags: ['a', 'b'],
      metadata: { team: 'kitchen', cups: 3, version: 'older', tags: ['x'] },
      body: '# Tea\n',
    });
    expect(skillMd(one)).toBe(`---
name: "tea"
description: "Makes tea"
license: "MIT"
compatibility: "Needs water"
allowed-tools: "Read Bash(git:*)"
metadata:
  team: "kitchen"
  version: "1.0"
  tags: "a, b"
  author: "Ada"
cups: 3
---
# Tea
`);
  });

  it('has metadata of texts only', () => {
    const { metadata, ...head } = skillFrontMatter(
      skill({ metadata: { name: [1], 'a b': { c: 1 }, on: true, no: null } }),
    );
    expect([metadata, head]).toEqual([
      { name: '[1]', 'a b': '{"c":1}' },
      { name: 'tea', description: 'tea', on: true },
    ]);
  });
});
