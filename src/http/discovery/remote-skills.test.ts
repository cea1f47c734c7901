import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FAILED_MS, FRESH_MS, RemoteSkills } from './remote-skills.ts';

const skillMd = (body: string) => `---\nname: zip\ndescription: Packs files.\n---\n${body}\n`;

let base: string;
let text: string;
let etag: string | null;
let fails: boolean;
const asked: IncomingMessage[] = [];
const host = createServer((request, response) => {
  asked.push(request);
  if (fails) return void response.writeHead(503).end();
  if (request.url === '/moved') return void response.writeHead(302, { location: '/SKILL.md' }).end();
  if (etag !== null && request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
  response.writeHead(200, etag === null ? {} : { etag }).end(text);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
});
afterAll(() => {
  host.closeAllConnections();
  host.close();
});

let now: number;
let skills: RemoteSkills;
beforeEach(() => {
  asked.length = 0;
  now = 0;
  text = skillMd('# One');
  etag = '"1"';
  fails = false;
  const times = { connectMs: 60_000, startMs: 60_000, listMs: 60_000, totalMs: 60_000 };
  const limits = { ...times, maxBytes: 4_000_000, maxItems: 10 };
  skills = new RemoteSkills({ limits, allowPrivate: true, signal: new AbortController().signal }, () => now);
});

describe('RemoteSkills', () => {
  it('asks once for readers at the same time and for those soon after', async () => {
    const readings = await Promise.all([1, 2, 3].map(() => skills.read(`${base}/SKILL.md`)));
    now = FRESH_MS - 1;
    expect([...readings, await skills.read(`${base}/SKILL.md`)]).toEqual(Array(4).fill(text));
    expect(asked).toHaveLength(1);
  });

  it('asks later whether it has changed, and takes the new text', async () => {
    await skills.read(`${base}/SKILL.md`);
    now = FRESH_MS;
    expect(await skills.read(`${base}/SKILL.md`)).toBe(text);
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"']);
    [text, etag, now] = [skillMd('# Two'), '"2"', 2 * FRESH_MS];
    expect(await skills.read(`${base}/SKILL.md`)).toBe(text);
  });

  it.each(['a host without an etag', 'a redirect'])('reads the whole text again from %s', async (from) => {
    const address = `${base}/${from === 'a redirect' ? 'moved' : 'SKILL.md'}`;
    if (from !== 'a redirect') etag = null;
    await skills.read(address);
    [text, now] = [skillMd('# Two'), FRESH_MS];
    expect(await skills.read(address)).toBe(text);
    expect(asked.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
  });

  it('asks a host that fails again, but not at each read', async () => {
    fails = true;
    for (const at of [0, FAILED_MS - 1]) {
      now = at;
      await expect(skills.read(`${base}/SKILL.md`)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    }
    expect(asked).toHaveLength(1);
    [fails, now] = [false, FAILED_MS];
    expect(await skills.read(`${base}/SKILL.md`)).toBe(text);
  });

  it('keeps at most 200 texts and 8 million characters', async () => {
    text = skillMd('x'.repeat(950_000));
    for (let at = 0; at <= 8; at++) await skills.read(`${base}/large/${at}`);
    await skills.read(`${base}/large/8`);
    expect(asked).toHaveLength(9);
    await skills.read(`${base}/large/0`);
    expect(asked).toHaveLength(10);
    text = skillMd('# One');
    for (let at = 0; at <= 200; at++) await skills.read(`${base}/many/${at}`);
    asked.length = 0;
    await skills.read(`${base}/many/200`);
    expect(asked).toHaveLength(0);
    await skills.read(`${base}/many/0`);
    expect(asked).toHaveLength(1);
  });

  it('keeps nothing that is no SKILL.md', async () => {
    text = '{"secret": 1}';
    await expect(skills.read(`${base}/secret.json`)).rejects.toMatchObject({ code: 'INVALID_FILE' });
    [text, now] = [skillMd('# One'), FAILED_MS];
    expect(await skills.read(`${base}/secret.json`)).toBe(text);
  });
});
