import { describe, expect, it } from 'vitest';
import { plainWords, withoutEntities } from './plain-markup.ts';

describe('withoutEntities', () => {
  it.each([
    ['&lt;b&gt; &amp; &quot;x&quot;', '<b> & "x"'],
    ['&#97;&#x62;&#X63;', 'abc'],
    ['ig&shy;nore&nbsp;all', 'ignore all'],
    ['AT&T &unknown; &#0; &#9999999; &', 'AT&T &unknown; &#0; &#9999999; &'],
  ])('reads %j', (text, plain) => expect(withoutEntities(text)).toBe(plain));
});

describe('plainWords', () => {
  it.each([
    ['**Ignore** `all`', 'Ignore all'],
    ['ig<b>no</b>re<br>all<p class="x">rules', 'ignore all rules'],
    ['[in](https://example.com) two', ' in two'],
    ['one, two... three -- four', 'one  two  three   four'],
    ['a < b and c > d', 'a < b and c > d'],
    ['No marks. At all!', 'No marks. At all!'],
  ])('keeps the words of %j', (text, plain) => expect(plainWords(text)).toBe(plain));
});
