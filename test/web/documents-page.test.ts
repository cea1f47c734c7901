import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocuments } from '../../src/documents/create-documents.ts';
import { type FakeChatServer, replying, startFakeChatServer, startingWith } from '../support/fake-chat-server.ts';
import { layOutPdf } from '../support/lay-out-pdf.ts';
import { openWeb, type Web } from './web-server.ts';

let chat: FakeChatServer;
let web: Web;
let silent: Web;
beforeAll(async () => {
  chat = await startFakeChatServer();
  web = await openWeb([], { chat_url: chat.base, chat_model: 'fake' });
  silent = await openWeb([]);
});
afterAll(async () => {
  await web.close();
  await silent.close();
  await chat.close();
});

const TEA = '# Tea\n\nGreen tea needs 80 degrees.\n\n# Mate\n\nMate needs a gourd. See KX-4471.\n';
const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

async function collectionWith(on: Web, name: string, files: readonly ReturnType<typeof file>[]): Promise<void> {
  await createDocuments(on.registry).createCollection({ name });
  for (const { name: path, buffer } of files) {
    const response = await fetch(`${on.url}/api/collections/${name}/files?path=${path}`, {
      method: 'POST',
      body: buffer,
    });
    expect(response.status).toBe(200);
  }
}

const pdfOf = (pages: readonly string[]) => Buffer.from(layOutPdf(pages.join('\n=== page\n')));

const rowOf = (page: Page, name: string) => page.locator('.uploads li', { hasText: name });

describe('collections', () => {
  it('are created, filled with several files, each with its own end, and removed after a second click', async () => {
    const { page, problems } = await web.open('/ui/documents');
    await page.getByText('There is no collection yet').waitFor();
    await page.getByLabel('Name').fill('handbook');
    await page.getByLabel('Note, shown with every passage').fill('The handbook of the house.');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'handbook' }).waitFor();

    const pdf = {
      name: 'leave.pdf',
      mimeType: 'application/pdf',
      buffer: pdfOf(['Ten days.', 'Thirty days of leave.']),
    };
    const broken = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]) };
    await page.locator('input[type=file]').setInputFiles([file('tea.md', TEA), broken, pdf]);
    await rowOf(page, 'tea.md').getByText('2 passages').waitFor();
    await rowOf(page, 'leave.pdf').getByText('on 2 pages').waitFor();
    await rowOf(page, 'a.png').getByText('was not stored').waitFor();
    await page.locator('.collection').getByText('2 documents, 4 passages').waitFor();

    await page.locator('.collection summary', { hasText: 'Documents' }).click();
    await page.locator('.files li', { hasText: 'tea.md' }).getByRole('button', { name: 'Remove' }).click();
    await page.locator('.files li', { hasText: 'tea.md' }).getByRole('button', { name: 'Remove it' }).click();
    await page.locator('.collection').getByText('1 document, 2 passages').waitFor();

    await page.getByRole('button', { name: 'Remove the collection' }).click();
    expect((await createDocuments(web.registry).collections()).total).toBe(1);
    await page.getByRole('button', { name: 'Remove it with 1 document' }).click();
    await page.getByText('There is no collection yet').waitFor();
    expect((await createDocuments(web.registry).collections()).total).toBe(0);
    expect(problems).toEqual([]);
  });

  it('take files and folders that are dropped anywhere on the page', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dowser-drop-'));
    await mkdir(join(folder, 'guides', 'node_modules'), { recursive: true });
    await writeFile(join(folder, 'tea.md'), TEA);
    await writeFile(join(folder, 'guides', 'travel.md'), '# Travel\n\nTrains first.\n');
    await writeFile(join(folder, 'guides', '.hidden.md'), 'hidden');
    await writeFile(join(folder, 'guides', 'node_modules', 'readme.md'), 'installed');
    await collectionWith(web, 'dropped', []);
    const { page, problems } = await web.open('/ui/documents?collection=dropped');
    await page.getByText('Add documents').waitFor();
    const drag = await page.context().newCDPSession(page);
    const data = { items: [], files: [join(folder, 'tea.md'), join(folder, 'guides')], dragOperationsMask: 1 };
    const at = { x: 40, y: 300, data };
    await drag.send('Input.dispatchDragEvent', { type: 'dragEnter', ...at });
    await drag.send('Input.dispatchDragEvent', { type: 'dragOver', ...at });
    await page.getByText('Drop to add to dropped').waitFor();
    await drag.send('Input.dispatchDragEvent', { type: 'drop', ...at });
    await rowOf(page, 'tea.md').getByText('2 passages').waitFor();
    await rowOf(page, 'guides/travel.md').getByText('1 passage').waitFor();
    await page.getByText('2 files of 2 done').waitFor();
    await page.locator('.collection').getByText('2 documents, 3 passages').waitFor();
    expect(await page.locator('.uploads li').count()).toBe(2);
    expect(problems).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('say how many documents are in none of them', async () => {
    const one = await openWeb([
      { type: 'document', path: '/glossary', name: 'Glossary', body: 'A tool is a function.' },
    ]);
    const { page } = await one.open('/ui/documents');
    await page.getByRole('link', { name: '1 document' }).click();
    await page.getByRole('link', { name: 'Glossary' }).waitFor();
    await one.close();
  });

  it('say why they cannot be created', async () => {
    const { page } = await web.open('/ui/documents');
    await page.getByLabel('Name').fill('no spaces please');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('INVALID_REQUEST').waitFor();
  });
});

describe('a search in documents', () => {
  it('shows the page or the lines of each hit, and what is around it', async () => {
    const pdf = { ...file('leave.pdf', ''), buffer: pdfOf(['Ten days of travel.', 'Thirty days of leave.']) };
    await collectionWith(web, 'house', [file('tea.md', TEA), pdf]);
    const { page, problems } = await web.open('/ui/documents');
    await page.getByRole('navigation', { name: 'Collections' }).getByText('house').click();
    await page.getByRole('searchbox', { name: 'Search house' }).pressSequentially('thirty days of leave');
    const hit = page.locator('.chunk').first();
    await hit.getByText('page 2').waitFor();
    await hit.getByText('In context').click();
    await hit.getByText('Page 2 of 2').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('thirty days of leave');

    await page.getByRole('searchbox').fill('KX-4471');
    await page.locator('.chunk', { hasText: 'gourd' }).getByText('line 7').waitFor();
    await page.locator('.chunk .headings', { hasText: 'Mate' }).waitFor();
    await page.getByRole('link', { name: 'All collections' }).click();
    await page.getByRole('searchbox', { name: 'Search all collections' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('says that a collection is not there', async () => {
    const { page } = await web.open('/ui/documents?collection=hous&q=tea');
    await page.getByRole('alert').getByText("Did you mean 'house'?").waitFor();
  });
});

describe('a question', () => {
  const ask = async (on: Web, question: string, collection = 'tea') => {
    const { page, problems } = await on.open(`/ui/documents?collection=${collection}&mode=ask`);
    await page.getByLabel(`Ask ${collection}`).fill(question);
    await page.getByRole('button', { name: 'Ask' }).click();
    return { page, problems };
  };
  beforeAll(async () => {
    await collectionWith(web, 'tea', [file('tea.md', TEA)]);
    await collectionWith(silent, 'tea', [file('tea.md', TEA)]);
  });

  it('gets its sources at once, then an answer whose numbers lead to them', async () => {
    let finish = () => {};
    chat.reply = startingWith('It needs 80 degrees ', (response) => {
      finish = () => {
        const rest = JSON.stringify({ choices: [{ delta: { content: '[1], not a[7].' } }] });
        response.end(`data: ${rest}\n\ndata: [DONE]\n\n`);
      };
    });
    const { page, problems } = await ask(web, 'how hot is green tea');
    const source = page.locator('#source-1');
    await source.getByText('line 3').waitFor();
    await page.getByText('It needs 80 degrees').waitFor();
    await page.getByText('Answering…').waitFor();
    finish();
    await page.getByText('Answered by fake.').waitFor();
    expect(await page.locator('.answer .text').textContent()).toBe('It needs 80 degrees 1, not a[7].');
    await page.getByRole('link', { name: 'Source 1' }).click();
    expect(await source.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(problems).toEqual([]);
  });

  it('says what went wrong with the chat model, and keeps the sources', async () => {
    chat.reply = replying(401, '{"error":{"message":"no such key"}}');
    const { page } = await ask(web, 'how hot is green tea');
    await page.getByRole('alert').getByText('CHAT_REJECTED').waitFor();
    await page.locator('#source-1').waitFor();
    chat.reply = startingWith('It needs', (response) => response.destroy());
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('alert').getByText('CHAT_UNAVAILABLE').waitFor();
    await page.getByText('It needs').waitFor();
  });

  it('is stopped by a button', async () => {
    let hasLeft = () => {};
    const left = new Promise<void>((resolve) => {
      hasLeft = resolve;
    });
    chat.reply = startingWith('It needs', (response) => response.on('close', hasLeft));
    const { page } = await ask(web, 'how hot is green tea');
    await page.getByText('It needs').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Ask' }).waitFor();
    await left;
  });

  it('gets sources and a note without a chat model, and says when nothing fits', async () => {
    const { page, problems } = await ask(silent, 'how hot is green tea');
    await page.getByText('No chat model is set up').waitFor();
    await page.locator('#source-1').waitFor();
    // By keyword only: the vectors of this embedder are near to each other by chance.
    silent.embedder.fail();
    await page.getByLabel('Ask tea').fill('zebra xylophone quartz');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Nothing in this collection answers the question.').waitFor();
    expect(await page.locator('.chunk').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
