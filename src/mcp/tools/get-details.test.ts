import { afterAll, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { schema, trackerTools } from '../../../test/support/tracker-tools.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { countTokens } from '../../model/text/token-count.ts';
import { getDetails } from './get-details.ts';

const { registry, run } = await trackerTools();
afterAll(() => registry.close());

describe('get_details', () => {
  it('reads one tool with its schema and its server', async () => {
    const { structured } = await run(getDetails, { path: '/tracker#create_issue' });
    expect(structured).toMatchObject({
      kind: 'tool',
      input_schema: schema,
      server: { path: '/tracker', name: 'Tracker', url: 'https://tracker.test/mcp' },
      left_out: [],
    });
  });

  it('reads one tool, also with the kind of its server', async () => {
    const { structured } = await run(getDetails, { path: '/tracker#create_issue' });
    for (const kind of ['tool', 'mcp_server'] as const) {
      expect((await run(getDetails, { path: '/tracker#create_issue', kind })).structured).toEqual(structured);
    }
    expect(structured.fields).toMatchObject({ tags: ['work'] });
    expect(structured.fields).not.toHaveProperty('server_path');
  });

  it('suggests a tool with a similar name', async () => {
    for (const kind of [undefined, 'tool', 'mcp_server'] as const) {
      const asked = { path: '/tracker#crate_issue', ...(kind === undefined ? {} : { kind }) };
      await expect(run(getDetails, asked)).rejects.toMatchObject({
        message: 'The mcp_server "/tracker" has no tool "crate_issue".',
        hint: 'Did you mean "/tracker#create_issue"?',
      });
    }
  });

  it.each([
    ['/trakcer', '/tracker'],
    ['/Tracker', '/tracker'],
    ['/trakcer#create_issue', '/tracker#create_issue'],
    ['/skills/isues', '/skills/issues'],
  ])('suggests a similar path for %s', async (path, meant) => {
    await expect(run(getDetails, { path })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `Nothing is registered at ${JSON.stringify(path)}.`,
      hint: `Did you mean ${JSON.stringify(meant)}?`,
    });
  });

  it('suggests no path of something that the caller may not see', async () => {
    const own = await memoryRegistry();
    await own.put({ type: 'mcp_server', path: '/secret-plans', name: 'S', visibility: 'private', owner: 'other' });
    const guest = own.as({ readers: ['public'] });
    for (const registry of [own, guest]) {
      const asked = getDetails.run(registry, getDetails.input.parse({ path: '/secret-plasn' }));
      const hint = await asked.catch((error: DowserError) => error.hint);
      expect(hint === 'Did you mean "/secret-plans"?').toBe(registry === own);
    }
    await own.close();
  });

  it('says how many tools a large server has, and where to go on', async () => {
    const large = await memoryRegistry();
    const tools = Array.from({ length: 400 }, (_, i) => ({
      name: `tool_${i}`,
      description: 'Does something. '.repeat(20),
    }));
    await large.put({ type: 'mcp_server', path: '/large', name: 'Large', tools });
    const names: string[] = [];
    let from_tool: number | undefined = 0;
    for (let parts = 0; from_tool !== undefined && parts < 50; parts++) {
      const { structured, text } = await getDetails.run(
        large,
        getDetails.input.parse({ path: '/large', from_tool, max_tokens: 600 }),
      );
      expect(countTokens(text)).toBeLessThanOrEqual(600);
      expect(structured.tool_count).toBe(400);
      for (const { name } of structured.tools ?? []) names.push(name);
      from_tool = structured.next_tool;
    }
    expect(names).toEqual(tools.map(({ name }) => name));
    await large.close();
  });

  it('reads a whole server, without empty fields', async () => {
    const { structured } = await run(getDetails, { path: 'tracker', kind: 'mcp_server' });
    expect(structured.tools).toHaveLength(3);
    expect(structured.fields).toMatchObject({ tags: ['work'], metadata: { team: 'tools' } });
    expect(structured.fields).not.toHaveProperty('allowed_groups');
  });

  it('shows the whole definition of tools', async () => {
    const own = await memoryRegistry();
    const tool = {
      name: 'post',
      title: 'Post a letter',
      description: 'Posts.',
      annotations: { destructiveHint: true },
    };
    const more = { icons: [{ src: 'https://a.example/i.png' }], _meta: { 'a.example/team': 'office' } };
    const outputSchema = { type: 'object', properties: { id: { type: 'string' } } };
    await own.put({ type: 'mcp_server', path: '/mail', name: 'Mail', tools: [{ ...tool, ...more, outputSchema }] });
    const details = async (path: string) =>
      (await getDetails.run(own, getDetails.input.parse({ path }))).structured as Record<string, unknown>;
    expect(await details('/mail')).toMatchObject({ tools: [{ ...tool, output_schema: outputSchema }] });
    const { title, annotations } = tool;
    expect((await details('/mail#post')).fields).toMatchObject({ title, annotations, outputSchema, ...more });
    await own.close();
  });

  it('finds paths and tools that have a # of their own', async () => {
    expect((await run(getDetails, { path: '/odd#path' })).structured.kind).toBe('mcp_server');
    expect((await run(getDetails, { path: '/odd#path#a#b' })).structured.name).toBe('a#b');
  });

  it('keeps within max_tokens and says what it left out', async () => {
    const whole = await run(getDetails, { path: '/tracker' });
    for (let limit = 50; limit < countTokens(whole.text); limit += 10) {
      const { structured, text } = await run(getDetails, { path: '/tracker', max_tokens: limit });
      expect(countTokens(text)).toBeLessThanOrEqual(limit);
      expect(structured.left_out.length).toBeGreaterThan(0);
    }
    expect(whole.structured.left_out).toEqual([]);
  });

  it.each(['/nowhere', '/tracker#nothing', '#', 'tracker#'])('reports that nothing is at %j', async (path) => {
    await expect(run(getDetails, { path })).rejects.toThrow(DowserError);
  });
});
