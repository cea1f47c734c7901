import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PARTS, MAX_WHOLE_CHARS, splitQuery } from './query-parts.ts';

describe('splitQuery', () => {
  it.each([
    ['does not split a short question', 'create a GitHub issue', []],
    ['does not split one sentence', 'Find the invoices of last month and send them to the accountant.', []],
    ['finds no parts in an empty query', '', []],
    [
      'splits into sentences',
      'Read the weather forecast for Berlin. Post a summary to the team channel!',
      ['Read the weather forecast for Berlin.', 'Post a summary to the team channel!'],
    ],
    [
      'splits into list items',
      'Please:\n- convert the video to mp4\n- upload it to cloud storage\n2. email the public link',
      ['Please: convert the video to mp4', 'upload it to cloud storage', 'email the public link'],
    ],
    ['joins a short piece with its neighbor', 'Hello there. Look up the latest stock price of Apple. Thanks!', []],
    [
      'does not split at a dot inside a name',
      'Deploy example.com v1.2 to the staging cluster. Run browser tests against the staging page.',
      ['Deploy example.com v1.2 to the staging cluster.', 'Run browser tests against the staging page.'],
    ],
    [
      'splits sentences of other scripts',
      '東京の天気予報を調べてください。会議室を予約してください。',
      ['東京の天気予報を調べてください。', '会議室を予約してください。'],
    ],
  ])('%s', (_, query, parts) => {
    expect(splitQuery(query)).toEqual(parts);
  });

  it.each(['. ', '! ', '? ', '… ', '。', '！', '？', '\n', '\r'])('splits sentences at %j', (end) => {
    expect(splitQuery(`read the weather forecast${end}post a summary today`)).toHaveLength(2);
  });

  it.each(['; ', ': ', ', ', ' and ', ' Then ', ' also ', ' OR ', ' but '])('splits clauses at %j', (end) => {
    const [first, second] = ['one two three four five six seven', 'red green blue white black brown pink'];
    expect(splitQuery(`${first}${end}${second}`)).toHaveLength(2);
  });

  it('splits a long sentence into clauses', () => {
    const query =
      'Fetch the open pull requests of our repository, summarize the review comments of every reviewer, ' +
      'draft release notes with the merged changes and publish a blog post about the new version';
    expect(splitQuery(query).length).toBeGreaterThanOrEqual(3);
  });

  it('joins short parts of a long text with the next ones, because each part is embedded', () => {
    const short =
      'Book the small meeting room. Invite the three accountants. Order coffee and tea. Thank you very much.';
    const long = `${short} ${'The quarterly figures of the northern branch are still missing from the annual report. '.repeat(6)}`;
    expect(splitQuery(short)[0]).toBe('Book the small meeting room.');
    expect(long.length).toBeGreaterThan(MAX_WHOLE_CHARS);
    expect(splitQuery(long)[0]).toBe(
      'Book the small meeting room. Invite the three accountants. Order coffee and tea.',
    );
  });

  it('returns at most MAX_PARTS parts, which together are the query', () => {
    const words = (text: string) => text.match(/[a-z]+/g) ?? [];
    const sentence = fc.array(fc.constantFrom('mail', 'invoice', 'video', 'chart', 'deploy', 'the', 'a', 'x'), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 60 }), (sentences) => {
        const query = sentences.map((some) => `${some.join(' ')}.`).join(' ');
        const parts = splitQuery(query);
        expect(parts.length).toBeLessThanOrEqual(MAX_PARTS);
        expect(parts.length).not.toBe(1);
        if (parts.length > 0) expect(words(parts.join(' '))).toEqual(words(query));
      }),
    );
  });
});
