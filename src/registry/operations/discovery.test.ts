import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRegistry } from '../../open.ts';
import type { LocalRegistry } from '../contract/registry.ts';

let registry: LocalRegistry;
beforeAll(async () => {
  registry = await openRegistry({ engine: 'memory', embeddings_provider: 'off' });
  const skill = (path: string, more: object) => ({ type: 'skill', path, name: path, ...more });
  const agent = (path: string, more: object) => ({ type: 'a2a_agent', path, name: path, ...more });
  const translate = { skills: [{ id: 'tr', name: 'Translate' }] };
  await registry.putMany([
    skill('all', { name: 'PDF', description: 'pdf', tags: ['Pdf'], metadata: { kind: 'pdf' } }),
    skill('name', { name: 'pdf-forms' }),
    skill('tag', { tags: ['PDFs'], version: '7.1' }),
    skill('draft', { name: 'pdf draft', status: 'draft' }),
    skill('old', { name: 'pdf old', status: 'deprecated' }),
    skill('off', { name: 'pdf off', is_enabled: false }),
    agent('a', { ...translate, tags: ['EU'], trust_level: 'trusted' }),
    agent('b', { skills: [{ name: 'translate' }, { name: 'summarize' }], trust_level: 'Community' }),
    agent('c', { skills: [{ name: 'paint' }], tags: ['eu'], trust_level: 'trusted' }),
    agent('x', { skills: [{ name: 'sing' }], trust_level: 'constructor' }),
    agent('d', { ...translate, is_enabled: false }),
    agent('e', { ...translate, status: 'draft' }),
  ]);
});
afterAll(() => registry.close());

describe('the search of skills', () => {
  const search = async (query: string, more: object = {}) =>
    (await registry.searchSkills({ query, ...more })).map(({ entity, relevance_score }) => [
      entity.path,
      relevance_score,
    ]);

  it('adds up name, description, tags and metadata, and never passes 1', async () => {
    expect(await search('pdf')).toEqual([
      ['all', 1],
      ['name', 0.5],
      ['tag', 0.2],
    ]);
    expect(await search('7.1')).toEqual([['tag', 0.1]]);
  });

  it('leaves out drafts and what is deprecated unless asked, and what is off always', async () => {
    expect((await search('pdf', { include_draft: true })).map(([path]) => path)).toContain('draft');
    expect((await search('pdf', { include_deprecated: true })).map(([path]) => path)).toContain('old');
    const all = await search('pdf', { include_draft: true, include_deprecated: true });
    expect(all.map(([path]) => path)).not.toContain('off');
  });

  it('wants all tags', async () => {
    expect(await search('pdf', { tags: ['pdf'] })).toEqual([['all', 1]]);
    expect(await search('pdf', { tags: ['pdf', 'pdfs'] })).toEqual([]);
  });

  it('needs a text', async () => {
    await expect(search(' ')).rejects.toMatchObject({ code: 'EMPTY_SEARCH', field: 'q' });
  });
});

describe('the discovery of agents', () => {
  const discover = async (query: { skills: string[]; tags?: string[]; limit?: number }) =>
    (await registry.discoverAgents(query)).map(({ entity, relevance_score }) => [entity.path, relevance_score]);

  it('weighs skills, tags and trust, among agents that have a skill and are on', async () => {
    expect(await discover({ skills: ['translate'] })).toEqual([
      ['a', 0.8],
      ['b', 0.64],
    ]);
    expect(await discover({ skills: ['TR', 'summarize'], tags: ['eu', 'us'] })).toEqual([
      ['a', 0.6],
      ['b', 0.34],
    ]);
    expect(await discover({ skills: ['translate'], limit: 1 })).toEqual([['a', 0.8]]);
  });

  it('gives nothing for a trust level it does not know', async () => {
    expect(await discover({ skills: ['sing'] })).toEqual([['x', 0.6]]);
  });

  it('refuses to look for nothing, or for too many', async () => {
    await expect(discover({ skills: [' '] })).rejects.toMatchObject({ code: 'EMPTY_SEARCH', field: 'skills' });
    await expect(discover({ skills: ['x'], limit: 101 })).rejects.toMatchObject({ field: 'limit' });
  });
});
