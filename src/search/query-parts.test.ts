import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PARTS, partsOf } from './query-parts.ts';

describe('the parts of a query', () => {
  it.each([
    ['a short question is one need', 'create a GitHub issue', []],
    ['so is one sentence', 'Find the invoices of last month and send them to the accountant.', []],
    ['nothing has no parts', '', []],
    [
      'each sentence is a part',
      'Read the weather forecast for Berlin. Post a summary to the team channel!',
      ['Read the weather forecast for Berlin.', 'Post a summary to the team channel!'],
    ],
    [
      'so is each item of a list',
      'Please:\n- convert the video to mp4\n- upload it to cloud storage\n2. email the public link',
      ['Please: convert the video to mp4', 'upload it to cloud storage', 'email the public link'],
    ],
    [
      'a piece that says too little joins its neighbor',
      'Hello there. Look up the latest stock price of Apple. Thanks!',
      [],
    ],
    [
      'a point inside a name ends nothing',
      'Deploy example.com v1.2 to the staging cluster. Run browser tests against the staging page.',
      ['Deploy example.com v1.2 to the staging cluster.', 'Run browser tests against the staging page.'],
    ],
    [
      'sentences of other scripts count too',
      '東京の天気予報を調べてください。会議室を予約してください。',
      ['東京の天気予報を調べてください。', '会議室を予約してください。'],
    ],
  ])('%s', (_, query, parts) => {
    expect(partsOf(query)).toEqual(parts);
  });

  it('are the clauses of a sentence that names many things', () => {
    const query =
      'Fetch the open pull requests of our repository, summarize the review comments of every reviewer, ' +
      'draft release notes with the merged changes and publish a blog post about the new version';
    expect(partsOf(query).length).toBeGreaterThanOrEqual(3);
  });

  it('are few, and together they are the query', () => {
    const words = (text: string) => text.match(/[a-z]+/g) ?? [];
    const sentence = fc.array(fc.constantFrom('mail', 'invoice', 'video', 'chart', 'deploy', 'the', 'a', 'x'), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 60 }), (sentences) => {
        const query = sentences.map((some) => `${some.join(' ')}.`).join(' ');
        const parts = partsOf(query);
        expect(parts.length).toBeLessThanOrEqual(MAX_PARTS);
        expect(parts.length).not.toBe(1);
        if (parts.length > 0) expect(words(parts.join(' '))).toEqual(words(query));
      }),
    );
  });
});
