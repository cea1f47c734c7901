import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());

const at = (id: string) => `/ui/entity?id=${encodeURIComponent(id)}`;

describe('the page of an entity', () => {
  it('shows its card, its tools as forms, and what to improve', async () => {
    const { page, problems } = await web.open(at('mcp_server:/pdf-reader'));
    await page.getByRole('heading', { level: 1, name: 'PDF Reader' }).waitFor();
    await page.locator('summary', { hasText: 'read_pdf' }).click();
    await page.getByText('The path of the file.').waitFor();
    await page.getByText('Parameters without a description: pages.').waitFor();
    await page.locator('summary', { hasText: 'count' }).click();
    await page.getByText('The description has 6 characters.').waitFor();
    await page.getByRole('link', { name: 'https://pdf.example/mcp' }).waitFor();
    expect(problems).toEqual([]);
  });

  it.each([
    ['/ui/entity', 'This address names nothing of the registry.'],
    ['/ui/entity?id=weather', '“weather” names nothing of the registry.'],
  ])('says plainly that the address %s names nothing', async (address, sentence) => {
    const { page, problems } = await web.open(address);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await page.getByText(sentence).waitFor();
    await page.getByRole('link', { name: 'Search the registry' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('has a JSON twin', async () => {
    const { page } = await web.open(at('mcp_server:/pdf-reader'));
    const href = await page.getByRole('link', { name: 'JSON' }).getAttribute('href');
    const twin: unknown = await (await fetch(web.url + href)).json();
    expect(twin).toMatchObject({ entity: { path: '/pdf-reader', name: 'PDF Reader' } });
  });

  it('has a configuration for each client', async () => {
    const { page } = await web.open(at('mcp_server:/weather'));
    await page.getByText('claude mcp add weather -- npx -y weather-server').waitFor();
    await page.getByRole('button', { name: 'VS Code' }).click();
    await page.getByText('"type": "stdio"').waitFor();
  });

  it('offers to install it in each client', async () => {
    const { page } = await web.open(at('mcp_server:/weather'));
    const cursor = await page.getByRole('link', { name: 'Install in Cursor' }).getAttribute('href');
    const config = JSON.parse(atob(new URL(cursor!).searchParams.get('config')!));
    expect(config).toMatchObject({ command: 'npx', args: ['-y', 'weather-server'] });
    const code = await page.getByRole('link', { name: 'Install in VS Code' }).getAttribute('href');
    expect(decodeURIComponent(code!)).toMatch(/^vscode:mcp\/install\?\{"name":"weather"/);
    await page.getByRole('button', { name: 'Copy for Claude Code' }).waitFor();
  });

  it('shows the whole description before the parameters', async () => {
    const description = `Read a file.\n\n${'Ask for pages one by one. '.repeat(20)}`.trim();
    const tools = [
      { name: 'leaf', description, inputSchema: { type: 'object', properties: { page: { type: 'integer' } } } },
    ];
    await web.registry.put({ type: 'mcp_server', path: '/leaves', name: 'Leaves', tools });
    const { page } = await web.open(at('mcp_server:/leaves'));
    const card = page.locator('.card', { hasText: 'leaf' });
    await card.locator('summary').first().press('Enter');
    const text = card.locator('.disclosed > .text');
    expect(await text.textContent()).toBe(description);
    const [above, below] = [
      await text.boundingBox(),
      await card.getByRole('heading', { name: 'Parameters' }).boundingBox(),
    ];
    expect(above!.y + above!.height).toBeLessThanOrEqual(below!.y);
    expect(await card.locator('.clamp').count()).toBe(0);
  });

  it('shows the icon inside an entity, and asks no other server for one', async () => {
    const picture = `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')}`;
    const far = [{ src: 'https://icons.example/a.png' }];
    const tools = [{ name: 'near', description: 'Say what is near.', icons: far }];
    await web.registry.put({
      type: 'mcp_server',
      path: '/icons',
      name: 'Icons',
      tools,
      server_json: { icons: [...far, { src: picture }] },
    });
    const { page, problems } = await web.open('/');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).host));
    await page.goto(web.url + at('mcp_server:/icons'));
    expect(await page.locator('h1').locator('..').locator('img').getAttribute('src')).toBe(picture);
    await page.locator('summary .publisher-icon', { hasText: 'N' }).waitFor();
    expect(asked.filter((host) => host !== '' && host !== new URL(web.url).host)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('draws its relations, and links to them', async () => {
    const { page } = await web.open(at('mcp_server:/pdf-reader'));
    await page.locator('svg.graph .node.center').waitFor();
    await page.locator('.relation-list').getByRole('link', { name: 'pdf' }).click();
    await page.getByRole('heading', { level: 1, name: 'pdf' }).waitFor();
    await page.getByText('Split a PDF file into pages.').waitFor();
  });

  it('shows the hints of MCP about a tool', async () => {
    const annotations = { readOnlyHint: true, openWorldHint: false };
    const tools = [{ name: 'look', description: 'Look at something from afar.', annotations }];
    await web.registry.put({ type: 'mcp_server', path: '/looker', name: 'Looker', tools });
    const { page } = await web.open(at('mcp_server:/looker'));
    await page.getByText('read-only').waitFor();
    await page.getByText('closed world').waitFor();
  });

  it('shows changed definitions as a changelog, and accepts them', async () => {
    const source = { kind: 'mcp', locator: { url: 'https://changing.example/mcp' } };
    const observe = (description: string) =>
      web.registry.observe({
        source,
        live: true,
        entities: [
          {
            entity: { type: 'mcp_server', path: '/changing', name: 'Changing', tools: [{ name: 'tell', description }] },
          },
        ],
      });
    await observe('Tell the truth about the weather.');
    await observe('Tell a lie about the weather.');
    const { page } = await web.open(at('mcp_server:/changing'));
    await page.locator('del', { hasText: 'Tell the truth' }).waitFor();
    await page.locator('ins', { hasText: 'Tell a lie' }).waitFor();
    await page.getByText('alive').waitFor();
    await page.getByRole('button', { name: 'Accept the changes' }).click();
    await page.getByRole('heading', { name: 'Changed since it was accepted' }).waitFor({ state: 'detached' });
    expect(await web.registry.drift()).toEqual([]);
  });

  it('disables, changes the status, and deletes after a second click', async () => {
    await web.registry.put({ type: 'skill', path: '/skills/gone', name: 'Gone soon' });
    const { page } = await web.open(at('skill:/skills/gone'));
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await page.getByLabel('Status').selectOption('deprecated');
    await page.getByRole('button', { name: 'Save the status' }).click();
    await page.locator('.badge', { hasText: 'deprecated' }).waitFor();
    expect((await web.registry.get('skill', '/skills/gone')).entity).toMatchObject({
      is_enabled: false,
      status: 'deprecated',
    });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: 'Find the right tool.' }).waitFor();
    await expect(web.registry.get('skill', '/skills/gone')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('says that there is no such entity', async () => {
    const { page } = await web.open(at('skill:/none'));
    await page.getByRole('alert').getByText('NOT_FOUND').waitFor();
  });
});
