import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WEB_CATALOG } from './web-catalog.ts';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb([...WEB_CATALOG, ...LONG_TEXTS]);
});
afterAll(() => web.close());

const NAMES = '.result h3';

/** A server with instructions in its description, and a memory without a name. */
const LONG_TEXTS = [
  {
    type: 'mcp_server',
    path: '/gardener',
    name: 'Gardener',
    description: `Waters the plants of a gardener. ${'Ask for the bed first, and for the soil. '.repeat(8)}Water never before noon.`,
    url: 'https://garden.example/mcp',
    tools: [
      { name: 'water_plants', description: 'Water the plants of a bed.' },
      { name: 'soil', description: 'Say how wet the soil of the plants is.' },
    ],
  },
  {
    type: 'memory',
    path: `/${'0123456789abcdef'.repeat(4)}`,
    content: 'The lantern of the north tower burns until six.',
  },
];

describe('the search page', () => {
  it('shows what the registry has, and questions that it answers', async () => {
    const { page, problems } = await web.open('/');
    await page.getByText('4 MCP servers').waitFor();
    await page.getByRole('link', { name: 'read a PDF file' }).click();
    await page.locator(NAMES).first().waitFor();
    expect(new URL(page.url()).search).toBe('?q=read+a+PDF+file');
    expect(problems).toEqual([]);
  });

  it('searches as somebody types, and keeps the query in the address', async () => {
    const { page, problems } = await web.open('/');
    await page.evaluate("window.box = document.querySelector('input')");
    await page.keyboard.type('read a pdf');
    await page.getByRole('link', { name: 'PDF Reader' }).waitFor();
    // The same box: another one would lose the focus and the caret.
    expect(await page.evaluate('window.box === document.activeElement')).toBe(true);
    expect(new URL(page.url()).searchParams.get('q')).toBe('read a pdf');
    await expect.poll(() => page.locator(NAMES).first().textContent()).toBe('PDF Reader');
    await page.locator('.result').first().locator('mark', { hasText: /^PDF$/ }).first().waitFor();
    expect(problems).toEqual([]);
  });

  it('keeps the letters that are typed before the box is there', async () => {
    const { page } = await web.open('/ui/status');
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/config', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(web.url);
    expect(await page.locator('input').count()).toBe(0);
    await page.keyboard.type('/read x');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('a ');
    answer();
    await page.locator('input').first().waitFor();
    await page.keyboard.type('pdf');
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('read a pdf');
    await page.getByRole('link', { name: 'PDF Reader' }).waitFor();
  });

  it('says so if no result is likely to answer', async () => {
    const { page } = await web.open('/');
    const low = page.getByText('Low confidence: the best match is 11%.');
    await page.route('**/api/search/semantic', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const unsure = route.request().postDataJSON().query === 'pdf weather';
      for (const result of answer.results) if (unsure) result.confidence = 0.11;
      await route.fulfill({ response, json: answer });
    });
    await page.getByRole('searchbox').fill('pdf weather');
    await low.waitFor();
    await page.getByRole('searchbox').fill('read a pdf');
    await low.waitFor({ state: 'detached' });
  });

  it('asks for counts when nobody types any more, and shows those of the last answer', async () => {
    const { page } = await web.open('/');
    const asked: { readonly query: string; readonly facets?: readonly string[] }[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/search/semantic')) asked.push(request.postDataJSON());
    });
    const counted = () => asked.filter((one) => one.facets !== undefined).map(({ query }) => query);
    // The clock of the page, so that a slow machine is no slow typist.
    await page.clock.install({ time: '2030-01-01T00:00:00Z' });
    await page.clock.pauseAt('2030-01-01T01:00:00Z');
    await page.keyboard.type('pdf weather');
    await page.clock.runFor(100);
    const question = { query: 'pdf weather', min_confidence: 0.01 };
    const { total_candidates } = await web.registry.search(question);
    await page.locator('.summary', { hasText: `${total_candidates} matches` }).waitFor();
    await page.clock.runFor(100);
    expect(counted()).toEqual([]);
    await page.clock.runFor(1000);
    const counts = page.locator('aside .check', { hasText: 'MCP servers' }).locator('.count');
    const servers = await web.registry.search({ ...question, entity_types: ['mcp_server'] });
    await expect.poll(() => counts.first().textContent()).toBe(String(servers.total_candidates));
    expect([...new Set(counted())]).toEqual(['pdf weather']);
  });

  it('shows the answer to the last key, however late an earlier answer comes', async () => {
    const { page } = await web.open('/');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/search/semantic', async (route) => {
      const { query } = route.request().postDataJSON();
      const response = await route.fetch();
      if (query === 'weather') await released;
      // The page has given the late one up.
      await route.fulfill({ response }).catch(() => undefined);
    });
    const asked = page.waitForRequest((request) => request.postData()?.includes('"weather"') === true);
    await page.getByRole('searchbox').fill('weather');
    await asked;
    await page.getByRole('searchbox').fill('pdf');
    await page.getByRole('link', { name: 'PDF Reader' }).waitFor();
    release();
    await page.waitForTimeout(300);
    expect(await page.locator(NAMES).allTextContents()).not.toContain('Weather');
  });

  it('works with the keyboard alone', async () => {
    const { page } = await web.open('/?q=pdf');
    await page.locator(NAMES).nth(1).waitFor();
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await page.getByRole('link', { name: 'Dowser, to the search' }).focus();
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    const first = await focused();
    expect(first).toBe(await page.locator(NAMES).first().textContent());
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(await page.locator(NAMES).nth(1).textContent());
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: first }).waitFor();
    await page.goBack();
    await page.locator(NAMES).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Find the right tool.' }).waitFor();
  });

  it('filters by type, and its counts match the results', async () => {
    const { page } = await web.open('/?q=pdf');
    const counts = () => page.locator('aside .check .count').allTextContents();
    const rows = page.locator('aside fieldset').first().locator('.check');
    await rows.first().waitFor();
    const types = await rows.locator('span:first-of-type').allTextContents();
    const before = await counts();
    expect(types.length).toBeGreaterThan(1);
    for (const [at, type] of types.entries()) {
      // By keyboard as well as by mouse.
      if (at % 2 === 0) await rows.nth(at).locator('input').check();
      else await rows.nth(at).locator('input').press('Space');
      await page.locator('.summary', { hasText: new RegExp(`^${before[at]} match`) }).waitFor();
      expect([type, await page.locator('.result').count()]).toEqual([type, Number(before[at])]);
      // The counts of the other types stay.
      expect(await counts()).toEqual(before);
      await rows.nth(at).locator('input').uncheck();
    }
    await rows.nth(0).locator('input').check();
    await rows.nth(1).locator('input').check();
    await expect.poll(() => new URL(page.url()).searchParams.get('type')?.split(',').length).toBe(2);
    await page.locator('.found[aria-busy=false]').waitFor();
    expect(await counts()).toEqual(before);
  });

  it('hides what hardly matches until it is asked for', async () => {
    const { page, problems } = await web.open('/');
    // Only the first result has a confidence that says something.
    await page.route('**/api/search/semantic', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const { min_confidence: minimum } = route.request().postDataJSON();
      for (const [at, result] of answer.results.entries()) if (at > 0) result.confidence = 0.004;
      if (minimum !== undefined) {
        answer.results.splice(1);
        answer.total_candidates = Math.min(1, answer.total_candidates);
      }
      await route.fulfill({ response, json: answer });
    });
    await page.getByRole('searchbox').fill('pdf files');
    await page.getByRole('button', { name: /^Show \d+ weak match/ }).waitFor();
    await page.locator('.summary', { hasText: '1 match ' }).waitFor();
    expect(await page.locator(NAMES).count()).toBe(1);
    await page.getByRole('button', { name: /^Show \d+ weak match/ }).press('Enter');
    await page.locator(NAMES).nth(1).waitFor();
    await page.getByRole('button', { name: 'with weak matches' }).click();
    await page.getByRole('button', { name: /^Show \d+ weak match/ }).waitFor();
    expect(problems).toEqual([]);
  });

  it('offers the weak matches of a type that has no others', async () => {
    const { page } = await web.open('/');
    await page.route('**/api/search/semantic', async (route) => {
      const { min_confidence: minimum, entity_types: types } = route.request().postDataJSON();
      const response = await route.fetch();
      const answer = await response.json();
      const isEmpty = minimum !== undefined && types?.[0] === 'skill';
      const none = { no_match: true, results: [], nearest: [], total_candidates: 0, facets: {} };
      await route.fulfill({ response, json: isEmpty ? { ...answer, ...none } : answer });
    });
    await page.goto(`${web.url}/?q=pdf&type=skill`);
    await page.getByRole('heading', { name: 'Nothing fits' }).waitFor();
    await page.getByRole('button', { name: 'Show 1 weak match' }).click();
    await expect.poll(() => page.locator(NAMES).allTextContents()).toEqual(['pdf']);
  });

  it('keeps the box and the filters in sight', async () => {
    const { page } = await web.open('/?q=pdf', { viewport: { width: 1280, height: 500 } });
    await page.locator('aside .count').first().waitFor();
    await page.evaluate("document.querySelector('.found').style.minHeight = '4000px'; scrollTo(0, 1500)");
    for (const part of ['input[type=search]', 'aside .check']) {
      await expect
        .poll(() =>
          page
            .locator(part)
            .first()
            .boundingBox()
            .then((box) => box!.y),
        )
        .toBeLessThan(400);
      expect((await page.locator(part).first().boundingBox())!.y).toBeGreaterThanOrEqual(0);
    }
  });

  it('shows a memory by its text, and long instructions by their first sentence', async () => {
    const { page } = await web.open('/?q=lantern&type=memory');
    const memory = page.locator('.result', { hasText: 'lantern' });
    await memory.waitFor();
    expect(await memory.locator('h3').textContent()).toBe('The lantern of the north tower burns until six.');
    expect(await memory.textContent()).not.toMatch(/[0-9a-f]{32}/);
    await page.goto(`${web.url}/?q=gardener&type=mcp_server`);
    const server = page.locator('.result', { hasText: 'Gardener' });
    await server.getByText('Waters the plants of a gardener.', { exact: true }).waitFor();
    expect(await server.textContent()).not.toContain('never before noon');
    await server.getByRole('button', { name: 'Show all of it' }).click();
    await server.getByText('never before noon').waitFor();
  });

  it('marks words only in the tool that matched', async () => {
    const { page } = await web.open('/?q=soil+of+the+plants&type=mcp_server');
    const tools = page.locator('.result', { hasText: 'Gardener' }).locator('.tool');
    await tools.first().waitFor();
    await page.route('**/api/search/semantic', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      for (const result of answer.results) result.matched_unit = { kind: 'tool', key: 'tool:soil', title: 'soil' };
      await route.fulfill({ response, json: answer });
    });
    await page.reload();
    await tools.nth(1).waitFor();
    expect(await tools.filter({ hasText: 'soil' }).first().locator('mark').count()).toBeGreaterThan(0);
    expect(await tools.filter({ hasText: 'water_plants' }).locator('mark').count()).toBe(0);
  });

  it('filters by a tag of a result, and by #tag in the query', async () => {
    const { page } = await web.open('/?q=files');
    await page.locator('.result').getByRole('button', { name: '#documents' }).click();
    await page.getByRole('button', { name: 'Remove the tag documents' }).waitFor();
    await page.getByText('1 match ').waitFor();
    await page.getByRole('searchbox').fill('#weather');
    await page.getByText('Nothing fits').waitFor();
    await page.getByRole('button', { name: 'Remove the tag documents' }).click();
    await page.getByText('1 match ').waitFor();
    expect(await page.locator(NAMES).allTextContents()).toEqual(['Weather']);
  });

  it('includes deprecated entities when asked, and marks them', async () => {
    const { page } = await web.open('/?q=weather+of+a+city');
    await page.locator(NAMES).first().waitFor();
    expect(await page.locator(NAMES).allTextContents()).not.toContain('Old Weather');
    await page.locator('aside').getByLabel('Deprecated').check();
    const old = page.locator('.result', { hasText: 'Old Weather' });
    await old.waitFor();
    expect(await old.locator('.badge.warn').textContent()).toBe('deprecated');
  });

  it('shows the parameters of a matching tool with one click', async () => {
    const { page } = await web.open('/?q=read+pdf');
    await page.locator('.tool summary', { hasText: 'read_pdf' }).first().click();
    await page.getByText('The path of the file.').waitFor();
    expect(await page.locator('.fields .required').count()).toBe(1);
  });

  it('groups by type, and shows the ranking of the address', async () => {
    const { page } = await web.open('/?q=pdf');
    await page.getByRole('button', { name: 'Group by type' }).click();
    await page.locator('h2.group', { hasText: 'skills' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ q: 'pdf', view: 'grouped' });
    await page.goto(`${web.url}/?q=pdf&preset=keyword`);
    await page.getByText('by keyword only · keyword').waitFor();
    expect(await page.locator('aside select').count()).toBe(0);
    await page.getByRole('button', { name: 'ranking: keyword' }).click();
    await page.getByText('by keyword and meaning').waitFor();
  });

  it('says that nothing fits, and shows the nearest', async () => {
    const { page } = await web.open('/?q=quantum+chromodynamics+lattice');
    await page.getByRole('heading', { name: 'Nothing fits' }).waitFor();
  });

  it('shows an error with its hint', async () => {
    const { page } = await web.open('/?q=pdf&preset=none-such');
    await page.getByRole('alert').getByText('UNKNOWN_PRESET').waitFor();
  });

  it('draws why a result is there', async () => {
    const { page } = await web.open('/?q=read+pdf');
    await page.getByRole('button', { name: 'Why?' }).first().click();
    const why = page.getByRole('region', { name: 'Why this result' });
    // First in a sentence, then in the words of the query: no stems, and no names of formulas.
    await why.getByText(/^Its .* has “/).waitFor();
    expect(await why.locator('.bar').first().isVisible()).toBe(false);
    await why.getByText('The numbers').click();
    await why
      .locator('.bar-label', { hasText: /^“\w+”/ })
      .first()
      .waitFor();
    expect(await why.textContent()).not.toMatch(/bm25f|\bidf\b|\btf\b/);
    expect(await why.locator('.bar').count()).toBeGreaterThan(3);
  });

  it('says which stage lost what is missing', async () => {
    const { page, problems } = await web.open('/?q=weather');
    await page.getByRole('button', { name: 'Is something missing?' }).click();
    await page.getByLabel('What did you expect?').fill('old weather');
    await page.getByRole('button', { name: /Old Weather/ }).click();
    await page.getByText('Its status is deprecated, which the search leaves out.').waitFor();
    expect(await page.locator('.stages .lost').textContent()).toBe('Passes the filters');
    await page.getByRole('button', { name: 'Tick “Deprecated” under Include' }).press('Enter');
    expect(await page.locator('aside').getByLabel('Deprecated').isChecked()).toBe(true);
    await page.getByText(/It is result number \d/).waitFor();
    expect(problems).toEqual([]);
  });

  it('returns to the earlier query with Back', async () => {
    const { page } = await web.open('/');
    await page.keyboard.type('weather');
    await page.getByRole('link', { name: 'Weather', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Find the right tool.' }).waitFor();
    await page.goForward();
    await page.getByRole('link', { name: 'Weather', exact: true }).waitFor();
  });

  it('fits a narrow screen', async () => {
    const { page } = await web.open('/?q=pdf', { viewport: { width: 360, height: 700 } });
    await page.locator(NAMES).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    // Many tags must not squeeze the button beside them into a column of letters.
    await page.evaluate("document.querySelector('.result .tags').append('long-tag '.repeat(20))");
    const why = await page.getByRole('button', { name: 'Why?' }).first().boundingBox();
    expect(why!.width).toBeGreaterThan(why!.height);
    await page.getByText('Filters').first().click();
    await page.locator('.filters-toggle').getByLabel('Drafts').waitFor();
  });

  it('says when the model is down, and stops saying it when the model is back', async () => {
    const { page } = await web.open('/?q=pdf');
    await page.getByText('by keyword and meaning').waitFor();
    web.embedder.fail();
    // The breaker opens at the second failure.
    for (const query of ['files of nobody', 'files of everybody']) {
      await page.getByRole('searchbox').fill(query);
      await page.locator('.summary', { hasText: 'by keyword only' }).waitFor();
    }
    await page.getByText('The embedding model is down.').waitFor();
    web.embedder.recover();
    await page.getByText('The embedding model is down.').waitFor({ state: 'detached' });
    await page.getByText('by keyword and meaning').waitFor();
  });
});
