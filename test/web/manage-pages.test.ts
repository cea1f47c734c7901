import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedIn } from '../../src/cli/commands/registry.ts';
import { createClient } from '../../src/client/client.ts';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());

describe('the page that adds', () => {
  it('registers a server by its address, and reads its tools', async () => {
    const { page, problems } = await web.open('/ui/add');
    await page.getByLabel('Name').fill('Dowser itself');
    await page.getByLabel('Address').fill(`${web.url}/mcp`);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText(/It answers, with \d+ tools\./).waitFor();
    expect((await web.registry.get('mcp_server', '/dowser-itself')).entity).toMatchObject({ name: 'Dowser itself' });
    await page.getByRole('link', { name: '/dowser-itself' }).click();
    await page.locator('summary', { hasText: 'search_tools' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('keeps a server that does not answer, and says so', async () => {
    const { page } = await web.open('/ui/add');
    await page.getByLabel('Name').fill('Silent');
    await page.getByLabel('Address').fill('http://127.0.0.1:9/mcp');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('It does not answer.').waitFor();
    await web.registry.get('mcp_server', '/silent');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').getByText('ALREADY_EXISTS').waitFor();
  });

  it('registers an agent by its card', async () => {
    const { page } = await web.open('/ui/add?as=agent');
    await page.getByLabel('Agent card (JSON)').fill('{oops');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').waitFor();
    const card = { name: 'Chart Agent', description: 'Draws charts.', url: 'https://chart.example', skills: [] };
    await page.getByLabel('Agent card (JSON)').fill(JSON.stringify(card));
    await page.getByRole('button', { name: 'Register' }).click();
    await page.locator('.steps a').waitFor();
    expect((await web.registry.search({ query: 'chart agent' })).results[0]?.name).toBe('Chart Agent');
  });

  it('registers a skill by its SKILL.md, with a preview', async () => {
    const { page } = await web.open('/ui/add?as=skill');
    await page.getByLabel('SKILL.md').fill('---\nname: tidy-desk\ndescription: Tidies a desk.\n---\nThrow it away.');
    await page.getByText('Read as').waitFor();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('link', { name: '/skills/tidy-desk' }).click();
    await page.getByText('Throw it away.').waitFor();
  });

  it('stores the entities of a file, and names a line that is wrong', async () => {
    const { page } = await web.open('/ui/add?as=file');
    const lines = Array.from({ length: 250 }, (_, at) => ({ type: 'skill', path: `/skills/n${at}`, name: `n${at}` }));
    const upload = (text: string) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'a.jsonl', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await upload(lines.map((line) => JSON.stringify(line)).join('\n'));
    await page.getByText('250 of 250 entities: 250 added, 0 replaced.').waitFor();
    await upload(`${JSON.stringify(lines[0])}\n{`);
    await page.getByRole('alert').getByText('Line 2 is not a JSON object.').waitFor();
  });
});

it('composes a virtual server by ticking tools', async () => {
  const { page, problems } = await web.open('/ui/compose');
  await page.getByLabel('Filter').fill('forecast');
  await page.getByLabel(/\/weather#forecast/).check();
  await page.getByLabel('Filter').fill('read_pdf');
  await page.getByLabel(/\/pdf-reader#read_pdf/).check();
  await page.getByText('2 tools chosen').waitFor();
  await page.getByLabel('Name').fill('Rainy day');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Rainy day' }).waitFor();
  const { results } = await web.registry.search({ query: 'Rainy day', entity_types: ['virtual_server'] });
  const { entity } = await web.registry.get('virtual_server', results[0]!.path);
  expect(entity).toMatchObject({ tool_mappings: [{ tool_name: 'forecast' }, { tool_name: 'read_pdf' }] });
  // The page that it leads to has the tools, the servers behind them, and how to connect to each.
  await page.getByRole('heading', { name: '2 tools' }).waitFor();
  await page.getByRole('link', { name: '/weather#forecast' }).waitFor();
  await page.getByText('Get the weather forecast of a city.').waitFor();
  await page.getByRole('heading', { name: '2 backends' }).waitFor();
  await page.getByText('claude mcp add weather -- npx -y weather-server').waitFor();
  await page.getByRole('button', { name: '/pdf-reader' }).click();
  await page.getByText('claude mcp add --transport http pdf-reader https://pdf.example/mcp').waitFor();
  expect(problems).toEqual([]);
});

it('says what registry-only mode would block, and why', async () => {
  await web.registry.put({
    type: 'mcp_server',
    path: '/retired',
    name: 'Retired',
    url: 'https://retired.example/mcp',
    status: 'draft',
  });
  const { page, problems } = await web.open('/ui/policy');
  const mcpServers = {
    'local.dowser/pdf-reader': { url: 'https://pdf.example/mcp' },
    weather: { command: 'npx', args: ['-y', 'weather-server@1.0.0'] },
    'local.dowser/retired': { url: 'https://retired.example/mcp' },
    stranger: { command: 'npx', args: ['stranger-server'] },
  };
  const config = `// mine\n${JSON.stringify({ mcpServers })}`;
  const box = page.getByLabel('Client configuration');
  await box.fill(config.slice(0, -3));
  await page.getByText('This is not JSON yet.').waitFor();
  expect(await page.locator('main').textContent()).not.toContain('INTERNAL');
  await box.fill(config);
  await page.getByRole('heading', { name: '3 of 4 servers blocked' }).waitFor();
  const verdict = (name: string) => page.locator('.verdicts li', { hasText: name }).textContent();
  expect(await verdict('local.dowser/pdf-reader')).toContain('allowed');
  expect(await verdict('weather')).toContain('registered under another name');
  expect(await verdict('local.dowser/retired')).toContain('private, disabled or a draft');
  expect(await verdict('stranger')).toContain('It is not registered.');
  // The command and the page ask the same function.
  const servers = installedIn(config, 'test');
  const checked = await createClient({ baseUrl: web.url }).checkClientServers({ body: { servers: [...servers] } });
  expect(checked.blocked).toBe(3);
  expect(problems).toEqual([]);
});

it('shows the health of the index, and re-embeds everything', async () => {
  const { page, problems } = await web.open('/ui/status');
  await page.getByText('test/words/64').waitFor();
  const before = web.embedder.embedded.length;
  await page.getByRole('button', { name: 'Re-embed everything' }).click();
  await expect.poll(() => web.embedder.embedded.length).toBeGreaterThan(before);
  expect(problems).toEqual([]);
});

it('names the setting if an address of this machine may not be read', async () => {
  const own = await openWeb([], { discovery_private_addresses: false });
  const { page } = await own.open('/ui/add');
  await page.getByLabel('Name').fill('Mine');
  await page.getByLabel('Address').fill('http://127.0.0.1:9/mcp');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText("Set 'discovery_private_addresses' to true").waitFor();
  await own.close();
});
