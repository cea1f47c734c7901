import { afterAll, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { trackerTools } from '../../../test/support/tracker-tools.ts';
import { countTokens } from '../../model/text/token-count.ts';
import { skillSource } from '../catalog/skill-resources.ts';
import { getSkillContent } from './get-skill-content.ts';
import { listSkills } from './list-skills.ts';

/** The source does not use the context of a request. */
const CONTEXT = {} as never;

const { registry, run } = await trackerTools();
afterAll(() => registry.close());

describe('skills', () => {
  it('are listed without disabled ones', async () => {
    const { structured, text } = await run(listSkills, {});
    expect(structured.skills).toMatchObject([{ name: 'issues', uri: 'skill://skills/issues/SKILL.md' }]);
    expect(text).toBe('1. /skills/issues (skill): How to write issues');
  });

  it('are listed a page at a time, each once', async () => {
    const many = await memoryRegistry();
    const names = Array.from({ length: 12 }, (_, i) => `skill-${String(i).padStart(2, '0')}`);
    await many.putMany(
      names.map((name, i) => ({ type: 'skill', path: `/skills/${name}`, name, is_enabled: i % 3 !== 0 })),
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const input = listSkills.input.parse({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      const { structured } = await listSkills.run(many, input);
      seen.push(...structured.skills.map(({ name }) => name));
      cursor = structured.next_cursor;
      expect(structured.skills.length === 3 || cursor === undefined).toBe(true);
    } while (cursor !== undefined);
    expect(seen).toEqual(names.filter((_, i) => i % 3 !== 0));
    await many.close();
  });

  it('that are dropped to fit max_tokens begin the next page', async () => {
    const many = await memoryRegistry();
    const paths = Array.from({ length: 15 }, (_, i) => `/skills/${i + 10}-${'a-long-path-'.repeat(i === 4 ? 40 : 2)}`);
    await many.putMany(
      paths.map((path, i) => ({ type: 'skill', path, name: path, description: 'x', is_enabled: i % 7 !== 3 })),
    );
    const seen: string[] = [];
    const passed: string[] = [];
    expect(() => listSkills.input.parse({ cursor: 'foo' })).toThrow('must be the cursor of the previous page');
    let cursor: string | undefined;
    for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
      expect(pages).toBeLessThan(20);
      const input = listSkills.input.parse({ max_tokens: 60, ...(cursor === undefined ? {} : { cursor }) });
      const { structured, text } = await listSkills.run(many, input);
      expect(countTokens(text)).toBeLessThanOrEqual(60);
      seen.push(...structured.skills.map(({ path }) => path));
      passed.push(...structured.warnings);
      cursor = structured.next_cursor;
    }
    expect(seen).toEqual(paths.filter((_, i) => i % 7 !== 3 && i !== 4));
    expect(passed).toEqual([`${paths[4]} is too long for max_tokens and was skipped.`]);
    await many.close();
  });

  it.each(['issues', '/skills/issues', 'skills/issues', 'ISSUES', 'skill://skills/issues/SKILL.md'])(
    'are read by %j',
    async (skill_name) => {
      const { structured, text } = await run(getSkillContent, { skill_name });
      expect(structured).toMatchObject({ path: '/skills/issues', truncated: false });
      expect(text).toContain('Write them well.');
    },
  );

  it('are read in parts that fit max_tokens and join to the whole', async () => {
    const { structured: whole } = await run(getSkillContent, { skill_name: 'issues' });
    let read = '';
    for (let from_char: number | undefined = 0, parts = 0; from_char !== undefined && parts < 100; parts++) {
      const asked = getSkillContent.input.parse({ skill_name: 'issues', max_tokens: 60, from_char });
      const { structured, text } = await getSkillContent.run(registry, asked);
      expect(countTokens(text)).toBeLessThanOrEqual(60);
      expect(structured.truncated).toBe(structured.next_char !== undefined);
      read += structured.content;
      from_char = structured.next_char;
    }
    expect(read).toBe(whole.content);
  });

  it('have other files, with digests, in the extension too', async () => {
    const own = await memoryRegistry();
    const digest = `sha256:${'0'.repeat(64)}`;
    await own.put({
      type: 'skill',
      path: '/skills/pdf',
      name: 'pdf',
      body: 'Read.',
      files: [
        { path: 'references/a b.md', size: 5, digest, content: 'Hello' },
        { path: 'icon.png', size: 4, digest, content: 'iVAAAQ==', encoding: 'base64' },
        { path: 'large.bin', size: 9_000_000, digest },
      ],
    });
    const { structured } = await getSkillContent.run(own, getSkillContent.input.parse({ skill_name: 'pdf' }));
    expect(structured.files).toEqual(['references/a b.md', 'icon.png', 'large.bin']);
    const file = async (resource_path: string) =>
      (await getSkillContent.run(own, getSkillContent.input.parse({ skill_name: 'pdf', resource_path }))).structured;
    expect(await file('./references/a b.md')).toMatchObject({ content: 'Hello', resource_path: 'references/a b.md' });
    expect(await file('icon.png')).toMatchObject({ content: 'iVAAAQ==', encoding: 'base64' });
    await expect(file('large.bin')).rejects.toThrow('without its content');
    const source = skillSource(own);
    const entry = await source.get('skill://skills/pdf/SKILL.md', CONTEXT);
    expect(entry?.resources).toMatchObject([
      { uri: 'skill://skills/pdf/SKILL.md' },
      { uri: 'skill://skills/pdf/references/a%20b.md', digest, size: 5 },
      { uri: 'skill://skills/pdf/icon.png' },
    ]);
    expect(await source.read('skill://skills/pdf/references/a%20b.md', CONTEXT)).toEqual({ text: 'Hello' });
    expect(await source.read('skill://skills/pdf/icon.png', CONTEXT)).toEqual({
      bytes: Buffer.from([0x89, 0x50, 0, 1]),
    });
    expect(await source.read('skill://skills/pdf/none.md', CONTEXT)).toBeUndefined();
    await own.close();
  });

  it.each(['../x', '/etc/passwd', 'a//b', 'a/./b', 'a\\b'])('cannot have a file %j', async (path) => {
    const file = { path, size: 1, digest: 'sha256:0', content: 'x' };
    const skill = { type: 'skill', path: '/skills/bad', name: 'bad', files: [file] };
    await expect(registry.put(skill)).rejects.toThrow('inside the folder of the skill');
  });

  it('that are missing, or have no such file, are reported', async () => {
    await expect(run(getSkillContent, { skill_name: 'off' })).rejects.toThrow('There is no skill "off".');
    await expect(run(getSkillContent, { skill_name: 'issues', resource_path: 'scripts/x.py' })).rejects.toThrow(
      'scripts/x.py',
    );
  });
});
