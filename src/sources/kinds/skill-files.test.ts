import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { SKILL_FILES } from '../../model/entity-parts/skill-files.ts';
import { readSkillFiles } from './skill-files.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function write(path: string, content: string | Buffer): void {
  const file = join(folder.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

describe('readSkillFiles', () => {
  it('reads the files beside a SKILL.md, with digests, text as text', async () => {
    write('SKILL.md', '# S');
    write('references/format.md', 'Tables.');
    write('scripts/run.sh', 'echo 1\n');
    write('assets/icon.png', Buffer.from([0x89, 0x50, 0, 1]));
    const { files, warnings } = await readSkillFiles(folder.path);
    expect(warnings).toEqual([]);
    expect(files.map(({ path, encoding, content }) => [path, encoding, content])).toEqual([
      ['assets/icon.png', 'base64', 'iVAAAQ=='],
      ['references/format.md', undefined, 'Tables.'],
      ['scripts/run.sh', undefined, 'echo 1\n'],
    ]);
    expect(files[2]).toMatchObject({
      size: 7,
      digest: 'sha256:c44090c3f318c724c480b810801ef2974b32e2b9ee7ca29ca861cedd6896f798',
    });
  });

  it('leaves out hidden files, links, and what belongs to another skill', async () => {
    write('SKILL.md', '# S');
    write('.env', 'KEY=1');
    write('other/SKILL.md', '# O');
    write('other/data.txt', 'x');
    write('node_modules/a/index.js', 'x');
    symlinkSync('/etc/hostname', join(folder.path, 'link.txt'));
    expect((await readSkillFiles(folder.path)).files).toEqual([]);
  });

  it('lists a large file without its content, and says so', async () => {
    write('data.txt', 'x'.repeat(SKILL_FILES.fileChars + 1));
    const { files, warnings } = await readSkillFiles(folder.path);
    expect(files[0]).toEqual({ path: 'data.txt', size: SKILL_FILES.fileChars + 1, digest: expect.any(String) });
    expect(warnings).toEqual(["'data.txt' is too large: its content is not kept."]);
  });

  it('keeps a bounded number of files, and of characters in all', async () => {
    for (let i = 0; i < SKILL_FILES.max + 5; i++) write(`f${String(i).padStart(3, '0')}.txt`, 'x'.repeat(40_000));
    const { files, warnings } = await readSkillFiles(folder.path);
    expect(files).toHaveLength(SKILL_FILES.max);
    expect(files.filter(({ content }) => content !== undefined)).toHaveLength(SKILL_FILES.totalChars / 40_000);
    expect(warnings.at(-1)).toBe(`The skill has ${SKILL_FILES.max + 5} files; ${SKILL_FILES.max} of them are kept.`);
  });
});
