import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedRegistry, serveRegistry } from '../../../test/support/served-registry.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
});
afterEach(() => served.close());

const SKILL = {
  name: 'pdf-forms',
  description: 'Fill PDF forms',
  skill_md_url: 'https://127.0.0.1/SKILL.md',
  tags: ['Documents'],
  version: '1.0',
};
const CONTENT = '---\nname: pdf-forms\ndescription: Fill PDF forms\ntags: [pdf]\n---\n# Umbrellas\n\nOpen them.\n';
const register = (skill: object = SKILL) => served.send('POST', '/api/skills', skill);

describe('the registration of a skill', () => {
  it('takes its fields', async () => {
    const { status, json } = await register({ ...SKILL, target_agents: 'a,b', allowed_tools: ['Read'], oops: 1 });
    expect([status, json]).toMatchObject([
      201,
      {
        path: '/skills/pdf-forms',
        name: 'pdf-forms',
        skill_name: 'pdf-forms',
        skill_md_url: 'https://127.0.0.1/SKILL.md',
        target_agents: ['a', 'b'],
        allowed_tools: ['Read'],
        status: 'active',
        is_enabled: true,
        has_content: false,
        warnings: ["Unknown field 'oops' of a skill was ignored."],
      },
    ]);
  });

  it('accepts a SKILL.md, whose text is then found and returned', async () => {
    expect((await register({ content: CONTENT })).json).toMatchObject({
      path: '/skills/pdf-forms',
      tags: ['pdf'],
      has_content: true,
    });
    const { json } = await served.send('POST', '/api/search/semantic', { query: 'umbrellas' });
    expect(json.skills[0].skill_name).toBe('pdf-forms');
    const content = await served.ask('GET', '/api/skills/pdf-forms/content');
    expect(content.json).toMatchObject({ path: '/skills/pdf-forms', url: '' });
    const again = await served.send('POST', '/api/skills/parse-skill-md', { content: content.json.content });
    expect(again.json).toMatchObject({ name: 'pdf-forms', tags: ['pdf'], body: '# Umbrellas\n\nOpen them.\n' });
  });

  it('prefers fields over the front matter, and accepts a text without one', async () => {
    expect((await register({ content: CONTENT, name: 'other', tags: 'x' })).json).toMatchObject({
      path: '/skills/other',
      tags: ['x'],
    });
    const bare = await register({ ...SKILL, content: 'just text' });
    expect([bare.status, bare.json.has_content]).toEqual([201, true]);
  });

  it('answers 409 for a path in use, unless it may overwrite', async () => {
    await register();
    expect((await register()).error?.code).toBe('ALREADY_EXISTS');
    expect((await register({ ...SKILL, overwrite: true })).status).toBe(201);
  });

  it.each([
    [{ name: 'PDF Forms' }, 'INVALID_REQUEST', 'name'],
    [{ name: 'a--b' }, 'INVALID_REQUEST', 'name'],
    [{ name: 'a'.repeat(65) }, 'INVALID_REQUEST', 'name'],
    [{ name: undefined }, 'INVALID_REQUEST', 'name'],
    [{ description: '' }, 'INVALID_REQUEST', 'description'],
    [{ description: 'd'.repeat(1025) }, 'INVALID_REQUEST', 'description'],
    [{ description: undefined }, 'INVALID_REQUEST', 'description'],
    [{ version: 'v'.repeat(33) }, 'INVALID_REQUEST', 'version'],
    [{ compatibility: 'c'.repeat(501) }, 'INVALID_REQUEST', 'compatibility'],
    [{ content: 7 }, 'INVALID_REQUEST', 'content'],
    [{ name: undefined, content: '# no head' }, 'INVALID_FILE', 'content'],
  ])('refuses %j and stores nothing', async (change, code, field) => {
    const { status, error } = await register({ ...SKILL, ...change });
    expect([status, error?.code, error?.field]).toEqual([422, code, field]);
    expect((await served.ask('GET', '/api/skills?include_disabled=true')).json.total_count).toBe(0);
  });
});

describe('a skill', () => {
  beforeEach(() => register());
  const AT = '/api/skills/pdf-forms';

  it.each(['/api/skills/pdf-forms', '/api/skills/skills/pdf-forms', '/api/skills//skills/pdf-forms'])(
    'is read at %s',
    async (path) => {
      expect((await served.ask('GET', path)).json.path).toBe('/skills/pdf-forms');
    },
  );

  it('has no content until one is sent, and says where it is', async () => {
    const none = await served.ask('GET', `${AT}/content`);
    // It is to be read at its address, which is a private one.
    expect([none.status, none.error?.code]).toEqual([403, 'FORBIDDEN']);
    await served.send('PATCH', AT, { content: CONTENT });
    expect((await served.ask('GET', `${AT}/content`)).json.content).toContain('# Umbrellas');
    expect((await served.ask('GET', AT)).json).toMatchObject({ version: '1.0', has_content: true });
    await served.send('PATCH', AT, { content: null });
    expect((await served.ask('GET', `${AT}/content`)).status).toBe(403);
  });

  it('can be sent back as it was read', async () => {
    const { json } = await served.ask('GET', AT);
    const back = await served.send('PUT', AT, json);
    expect({ ...back.json, updated_at: json.updated_at }).toEqual(json);
  });

  it('is disabled, rated, compared, deleted, and then gone', async () => {
    expect((await served.send('POST', `${AT}/toggle`, { enabled: false })).json.is_enabled).toBe(false);
    expect((await served.send('POST', `${AT}/toggle`, {})).error?.field).toBe('enabled');
    expect((await served.ask('GET', '/api/skills')).json.total_count).toBe(0);
    expect((await served.ask('GET', '/api/skills?include_disabled=1')).json.total_count).toBe(1);
    expect((await served.send('POST', `${AT}/rate`, { rating: 1 })).json.average_rating).toBe(1);
    expect((await served.ask('GET', `${AT}/rating`)).json.num_stars).toBe(1);
    const same = { name: 'x', url: 'https://127.0.0.1/SKILL.md' };
    const { json } = await served.send('POST', '/api/skills/check-duplicates', same);
    expect(json.collision_with[0].reasons).toEqual(['url']);
    expect((await served.ask('DELETE', AT)).status).toBe(204);
    expect((await served.ask('GET', AT)).status).toBe(404);
    expect((await served.send('PATCH', AT, { description: 'x' })).status).toBe(404);
    expect((await served.send('PUT', AT, SKILL)).status).toBe(404);
  });

  it('is listed by tag and text, and searched with a score', async () => {
    expect((await served.ask('GET', '/api/skills?tag=DOCUMENTS')).json.total_count).toBe(1);
    expect((await served.ask('GET', '/api/skills?query=nothing')).json.total_count).toBe(0);
    const { json } = await served.ask('GET', '/api/skills/search?q=PDF&tags=documents');
    expect(json).toEqual({
      query: 'PDF',
      skills: [
        {
          path: '/skills/pdf-forms',
          name: 'pdf-forms',
          description: 'Fill PDF forms',
          tags: ['Documents'],
          visibility: 'public',
          is_enabled: true,
          status: 'active',
          relevance_score: 0.8,
        },
      ],
      total_count: 1,
    });
    expect((await served.ask('GET', '/api/skills/search')).error?.field).toBe('q');
    expect((await served.ask('GET', '/api/skills/search?q=')).error?.code).toBe('EMPTY_SEARCH');
  });
});

describe('parse-skill-md', () => {
  it('reads a SKILL.md and stores nothing', async () => {
    const { json } = await served.send('POST', '/api/skills/parse-skill-md', { content: CONTENT });
    expect(json).toMatchObject({ name: 'pdf-forms', path: '/skills/pdf-forms', warnings: [] });
    expect((await served.ask('GET', '/api/skills')).json.total_count).toBe(0);
  });

  it.each([
    [{ content: '# nothing' }, 'INVALID_FILE'],
    [{ content: '---\nname: a\n---\n' }, 'INVALID_FILE'],
    [{}, 'INVALID_REQUEST'],
    [{ content: 7 }, 'INVALID_REQUEST'],
  ])('refuses %j', async (body, code) => {
    expect((await served.send('POST', '/api/skills/parse-skill-md', body)).error?.code).toBe(code);
  });
});

describe('a skill that was read and sent back', () => {
  it('keeps its text, which a read does not show', async () => {
    await register({ content: CONTENT });
    const before = (await served.ask('GET', '/api/skills/pdf-forms/content')).json;
    const { updated_at: _, ...read } = (await served.ask('GET', '/api/skills/pdf-forms')).json;
    const put = await served.send('PUT', '/api/skills/pdf-forms', read);
    expect([put.status, put.json]).toMatchObject([200, read]);
    expect((await served.ask('GET', '/api/skills/pdf-forms/content')).json).toEqual(before);
  });

  it.each([{ content: null }, { body: '' }])('loses its text with %j', async (fields) => {
    await register({ content: CONTENT });
    const { json } = await served.send('PUT', '/api/skills/pdf-forms', { ...SKILL, ...fields });
    expect(json.has_content).toBe(false);
  });
});

describe('a skill whose path ends like a route', () => {
  it.each(['content', 'rating'])('is read at .../%s while nothing is registered above it', async (tail) => {
    await register({ ...SKILL, path: `/skills/a/${tail}` });
    expect((await served.ask('GET', `/api/skills/a/${tail}`)).json).toMatchObject({ path: `/skills/a/${tail}` });
    await register({ ...SKILL, path: '/skills/a', content: 'above' });
    expect((await served.ask('GET', `/api/skills/a/${tail}`)).json).not.toHaveProperty('skill_name');
    expect((await served.ask('GET', `/api/skills/a%2F${tail}`)).json).toMatchObject({ path: `/skills/a/${tail}` });
  });

  it('is reported missing under the requested path', async () => {
    const { status, error } = await served.ask('GET', '/api/skills/none/content');
    expect([status, error?.code]).toEqual([404, 'NOT_FOUND']);
    expect(error?.message).toMatch(/none['"]/);
  });
});
