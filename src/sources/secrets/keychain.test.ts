// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is tested.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openKeychain } from './keychain.ts';

vi.setConfig({ testTimeout: 60_000 });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowser-keychain-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A keychain of the system that has one entry, and writes down how it was called. */
async function program(name: string, body: string): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\nprintf '%s\\n' "$*" >> "${folder}/calls"\n${body}\n`);
  await chmod(file, 0o755);
}
const calls = async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');
const open = (platform: NodeJS.Platform, more: object = {}) =>
  openKeychain({ env: { PATH: [folder, process.env.PATH].join(delimiter) }, platform, ...more });
const ask = (read: ReturnType<typeof openKeychain>, name: string) => read(name, `\${keychain:${name}}`, 'The peer');

it.each([
  ['linux', 'secret-tool', 'lookup service acme-key'],
  ['freebsd', 'secret-tool', 'lookup service acme-key'],
  ['darwin', 'security', 'find-generic-password -s acme-key -w'],
  ['win32', 'powershell.exe', expect.stringContaining('$env:DOWSER_KEYCHAIN_NAME')],
] as const)('asks the keychain of %s', async (platform, command, called) => {
  await program(command, `test "$DOWSER_KEYCHAIN_NAME" = acme-key && echo 'a  secret '`);
  const read = open(platform);
  expect(await ask(read, 'acme-key')).toBe('a  secret ');
  expect(await ask(read, 'acme-key')).toBe('a  secret ');
  expect(await calls()).toEqual([called]);
});

it('asks again after a minute, and at once after a failure', async () => {
  let now = 0;
  await program('secret-tool', `cat "${folder}/value"`);
  const read = open('linux', { now: () => now });
  await expect(ask(read, 'a')).rejects.toThrow('no entry');
  await writeFile(join(folder, 'value'), 'one');
  expect(await ask(read, 'a')).toBe('one');
  await writeFile(join(folder, 'value'), 'two');
  expect(await ask(read, 'a')).toBe('one');
  now = 60_000;
  expect(await ask(read, 'a')).toBe('two');
});

it.each([
  ['has nothing', 'exit 1', 'no entry'],
  ['answers with nothing', 'exit 0', 'no entry'],
  ['fails with a part of the secret', 'echo geheim; echo geheim >&2; exit 3', 'no entry'],
  ['floods', 'yes geheim', 'no entry'],
  ['hangs', 'sleep 600', 'did not answer within 0.5 s'],
])('says what to do where it %s', async (_, body, why) => {
  await program('secret-tool', body === 'sleep 600' ? `exec ${body}` : body);
  const more = why.includes('within') ? { waitMs: 500 } : {};
  const error = await ask(open('linux', more), 'acme').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'INVALID_SETTING',
    field: 'acme',
    message: expect.stringMatching(/^The peer needs \$\{keychain:acme\}, but the keychain .*\(secret-tool\)/),
    hint: 'Store it with: secret-tool store --label acme service acme',
  });
  expect((error as Error).message).toContain(why);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('geheim');
});

it('names the command that is not there', async () => {
  const read = openKeychain({ env: { PATH: folder }, platform: 'linux' });
  await expect(ask(read, 'acme-key')).rejects.toMatchObject({
    message: "The peer needs ${keychain:acme-key}, but the command 'secret-tool' is not there.",
    hint: expect.stringContaining('${acme_key}'),
  });
});

it.each(['-w', '.x', 'a b', 'a;b', '$(id)', 'x'.repeat(129), ''])('starts nothing for the name %j', async (name) => {
  await program('secret-tool', 'echo geheim');
  expect(() => ask(open('linux'), name)).toThrow(expect.objectContaining({ code: 'INVALID_SETTING' }));
  await expect(calls()).rejects.toThrow('ENOENT');
});
