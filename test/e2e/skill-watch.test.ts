import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Sandbox } from './cli-process.ts';

vi.setConfig({ testTimeout: 120_000 });

let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  sandbox = await Sandbox.open();
  folder = join(sandbox.dir, 'skills');
});
afterEach(() => sandbox.close());

const write = async (name: string, description: string) => {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`);
};
const add = async () => {
  const { code, stderr } = await sandbox.run(['add', folder, '--kind', 'skill']);
  expect([code, stderr]).toEqual([0, '']);
};
/** The descriptions of the skills, with the state of those that are gone. */
const skills = async (): Promise<string> => {
  const { stdout } = await sandbox.run(['export']);
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return all
    .map(({ path, description }) => `${path} ${description}`)
    .sort()
    .join('; ');
};
/** Asks until the skills are these. What never comes ends by the timeout of the test. */
const follows = async (expected: string) => {
  while ((await skills()) !== expected) await new Promise((go) => setTimeout(go, 100));
};

it('dowser skill watch reads what changed before it, sees changes, and ends with Ctrl-C', async () => {
  await write('pdf', 'Reads PDFs');
  await add();
  await write('pdf', 'Reads and writes PDFs');
  const { stop: stopServer } = await sandbox.serve();
  const watch = sandbox.start(['skill', 'watch', folder, '--json']);
  await follows('/skills/pdf Reads and writes PDFs');
  await write('zip', 'Packs files');
  await follows('/skills/pdf Reads and writes PDFs; /skills/zip Packs files');
  await write('zip', 'Packs and unpacks files');
  await follows('/skills/pdf Reads and writes PDFs; /skills/zip Packs and unpacks files');
  await rename(join(folder, 'zip'), join(sandbox.dir, 'elsewhere'));
  while (!watch.output.stdout.includes('"dead"')) await new Promise((go) => setTimeout(go, 50));
  expect([await watch.stop('SIGINT'), watch.output.stderr]).toEqual([0, '']);
  const states = watch.output.stdout
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).results);
  expect(states.map(({ state }: { state: string }) => state)).toEqual(
    expect.arrayContaining(['updated', 'added', 'dead']),
  );
  await stopServer('SIGTERM');
});

it('dowser serve does the same with watch_skills, and reads no folder that was not added here', async () => {
  await write('pdf', 'Reads PDFs');
  await add();
  const { stop } = await sandbox.serve([], { DOWSER_WATCH_SKILLS: 'true' });
  await write('pdf', 'Reads every PDF');
  await follows('/skills/pdf Reads every PDF');
  await stop('SIGTERM');
  await rm(join(sandbox.data, 'sources.txt'));
  const refused = await sandbox.run(['skill', 'watch']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('dowser add FOLDER --kind skill')]);
});
