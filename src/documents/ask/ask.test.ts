import { describe, expect, it } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import { ask, NO_CHAT_MODEL, NOTHING_FITS, wholeAnswer } from './ask.ts';
import type { AskEvent, SourceChunk } from './ask-event.ts';
import { type AskRequestInput, askRequestSchema } from './ask-request.ts';
import type { ChatMessage, ChatModel } from './chat-model.ts';

const source = (text: string): SourceChunk => ({
  chunk_id: text,
  text,
  source_name: 'manual.pdf',
  path: 'manual.pdf',
  heading_path: [],
  position: { from_line: 1, to_line: 2, page: 3 },
});

/** A model that says these parts, and then perhaps fails. */
function says(parts: readonly string[], error?: unknown): ChatModel & { asked: (readonly ChatMessage[])[] } {
  const asked: (readonly ChatMessage[])[] = [];
  return {
    name: 'small',
    asked,
    async *answer(messages) {
      asked.push(messages);
      yield* parts;
      if (error !== undefined) throw error;
    },
  };
}

function events(chat: ChatModel | null, results: readonly SourceChunk[], input: Partial<AskRequestInput> = {}) {
  const request = askRequestSchema.parse({ question: 'Why?', conversation_id: 'c1', ...input });
  return ask({ search: async () => ({ results, warnings: ['keyword only'] }), chat }, request);
}
async function all<S extends SourceChunk>(stream: AsyncIterable<AskEvent<S>>): Promise<AskEvent<S>[]> {
  const list: AskEvent<S>[] = [];
  for await (const event of stream) list.push(event);
  return list;
}

describe('ask', () => {
  it('gives the sources with their numbers, then the answer, then the end', async () => {
    expect(await all(events(says(['Heat [2', '].']), [source('a'), source('b')]))).toEqual([
      {
        type: 'sources',
        sources: [
          { ...source('a'), number: 1 },
          { ...source('b'), number: 2 },
        ],
        warnings: ['keyword only'],
      },
      { type: 'delta', text: 'Heat [2' },
      { type: 'delta', text: '].' },
      { type: 'done', conversation_id: 'c1', empty_response: false, model: 'small', cited: [2] },
    ]);
  });

  it('asks no model before the sources were taken', async () => {
    const chat = says(['x']);
    const stream = events(chat, [source('a')]);
    expect((await stream.next()).value).toMatchObject({ type: 'sources' });
    expect(chat.asked).toEqual([]);
  });

  it('says that nothing fits, and asks no model', async () => {
    const chat = says(['invented']);
    expect(await all(events(chat, []))).toEqual([
      { type: 'sources', sources: [], warnings: ['keyword only'] },
      { type: 'delta', text: NOTHING_FITS },
      { type: 'done', conversation_id: 'c1', empty_response: false, model: null, cited: [] },
    ]);
    expect(chat.asked).toEqual([]);
  });

  it('answers with the sources where there is no model, and says so', async () => {
    const list = await all(events(null, [source('a')]));
    expect(list.map(({ type }) => type)).toEqual(['sources', 'delta', 'done']);
    expect(list[1]).toEqual({ type: 'delta', text: NO_CHAT_MODEL });
  });

  it('ends with an error where the model fails, after the parts so far', async () => {
    const chat = says(['Be'], new DowserError('CHAT_UNAVAILABLE', 'It broke off.', { hint: 'Check it.' }));
    expect((await all(events(chat, [source('a')]))).slice(1)).toEqual([
      { type: 'delta', text: 'Be' },
      { type: 'error', error: 'It broke off.', code: 'CHAT_UNAVAILABLE', hint: 'Check it.' },
    ]);
  });

  it('says that a model said nothing', async () => {
    expect((await all(events(says([' ']), [source('a')]))).at(-1)).toMatchObject({ empty_response: true });
  });

  it('cuts an answer that does not end', async () => {
    const endless: ChatModel = {
      name: 'endless',
      async *answer() {
        for (;;) yield 'x'.repeat(1000);
      },
    };
    expect((await all(events(endless, [source('a')]))).at(-1)).toMatchObject({ type: 'done' });
  });

  it('does not let a caller choose the model, and says so', async () => {
    const [first] = await all(events(says(['x']), [source('a')], { model: 'expensive' }));
    expect(first).toMatchObject({
      warnings: ['keyword only', "'model' is ignored: the server uses the model of its settings."],
    });
  });

  it('makes a conversation id where none is given', async () => {
    const list = await all(events(null, [], { conversation_id: undefined }));
    expect(list.at(-1)).toMatchObject({ conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });
});

describe('wholeAnswer', () => {
  it('gives everything at once', async () => {
    expect(await wholeAnswer(events(says(['Heat', ' [1].']), [source('a')]))).toEqual({
      answer: 'Heat [1].',
      sources: [{ ...source('a'), number: 1 }],
      warnings: ['keyword only'],
      conversation_id: 'c1',
      empty_response: false,
      model: 'small',
      cited: [1],
    });
  });

  it('throws what the model failed with', async () => {
    const chat = says(['Be'], new DowserError('CHAT_REJECTED', 'No.', { hint: 'Check DOWSER_CHAT_KEY.' }));
    await expect(wholeAnswer(events(chat, [source('a')]))).rejects.toMatchObject({
      code: 'CHAT_REJECTED',
      hint: 'Check DOWSER_CHAT_KEY.',
    });
  });
});

describe('askRequestSchema', () => {
  it.each([
    [undefined, 10],
    [3, 3],
    [0, 1],
    [50, 10],
  ])('counts top_k %s as %i', (top_k, expected) => {
    expect(askRequestSchema.parse({ question: 'x', top_k }).top_k).toBe(expected);
  });

  it('keeps the last ten messages, and none of the system', () => {
    const messages = Array.from({ length: 15 }, (_, i) => ({ role: 'user' as const, content: String(i) }));
    expect(askRequestSchema.parse({ question: 'x', messages }).messages.map(({ content }) => content)).toEqual([
      '5',
      '6',
      '7',
      '8',
      '9',
      '10',
      '11',
      '12',
      '13',
      '14',
    ]);
    expect(askRequestSchema.safeParse({ question: 'x', messages: [{ role: 'system', content: 'x' }] }).success).toBe(
      false,
    );
    expect(askRequestSchema.safeParse({ question: '  ' }).success).toBe(false);
  });
});
