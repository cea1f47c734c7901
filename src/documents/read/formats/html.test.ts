import { describe, expect, it } from 'vitest';
import { describedBlocks } from '../../../../test/support/described-blocks.ts';
import { readHtml } from './html.ts';

const read = (text: string) => readHtml({ name: 'page.html', text });
const blocksOf = (text: string) => describedBlocks(read(text));

describe('readHtml', () => {
  it('gives headings, paragraphs, lists, tables and code', () => {
    const html = `<h1>Pump &amp; <em>valve</em></h1><p>One
      line<br>two</p>loose<ul><li>a<li>b <b>bold</b></ul><ol><li><p>para</p></li></ol>
      <table><caption>Weights</caption><thead><tr><th>Part<th>kg</thead><tr><td>PX-40<td>3</table><pre>
  x
   y</pre>`;
    expect(blocksOf(html)).toEqual([
      'heading 1 <Pump & valve>: Pump & valve',
      'text: One line\ntwo',
      'text: loose',
      'text: - a\n- b bold',
      'text: - para',
      'text: Weights',
      'table: Part | kg\nPX-40 | 3',
      'code:   x\n   y',
    ]);
  });

  it('leaves out what a reader does not see', () => {
    const html = `<style>s1</style><script>s2</script><nav>s3</nav><p hidden>s4</p><p style="display: none">s5<b>s6</b></p>
      <div aria-hidden=true>s7</div><template>s8</template><!-- s9 --><noscript>s10</noscript><p>seen<svg><text>s11</text></svg></p>`;
    expect(blocksOf(html)).toEqual(['text: seen']);
  });

  it('keeps the alternative text of pictures', () => {
    expect(blocksOf('<p>See <img alt="a red valve" src=x>.</p>')).toEqual(['text: See a red valve .']);
  });

  it('reads title, language and description', () => {
    const document = read(
      '<html lang=de><head><title> Die\nPumpe </title><meta name=Description content="Kurz"></head><h1>x',
    );
    expect(document.title).toBe('Die Pumpe');
    expect(document.metadata).toEqual({ language: 'de', description: 'Kurz' });
    expect(read('<h2>Only heading</h2>').title).toBe('Only heading');
    expect(read('text').title).toBe('page');
  });

  it('reads a table of one column as paragraphs, and a table inside a cell as its text', () => {
    expect(blocksOf('<table><tr><td>one<tr><td>two</table>')).toEqual(['text: one', 'text: two']);
    expect(blocksOf('<table><tr><td>a<td><table><tr><td>b<td>c</table></table>')).toEqual(['table: a | b c']);
  });

  it('says which rows are the header', () => {
    const header = (html: string) => read(html).blocks[0]!.table!.headers;
    expect(header('<table><tr><th>A<th>B<tr><td>1<td>2</table>')).toEqual(['A', 'B']);
    expect(header('<table><tr><th>A<td>1<tr><th>B<td>2</table>')).toEqual([]);
  });

  it('reads elements that are nested a hundred thousand deep, and tags that are never closed', () => {
    expect(blocksOf(`${'<div>'.repeat(100_000)}deep`)).toEqual(['text: deep']);
    expect(blocksOf('<p>text<table><tr><td>a<td>b')).toEqual(['text: text', 'table: a | b']);
    expect(blocksOf('</table></pre></h1></nav>text')).toEqual(['text: text']);
  });
});
