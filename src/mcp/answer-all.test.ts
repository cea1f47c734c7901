import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { answeringAll } from './answer-all.ts';

const line = (message: object) => `${JSON.stringify(message)}\n`;

describe('the end of the input', () => {
  it('is held back until every question has its answer', async () => {
    const { input, output } = answeringAll();
    const sent = text(input);
    output.resume();
    let hasEnded = false;
    input.on('end', () => {
      hasEnded = true;
    });
    input.write(line({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    input.write(line({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    const last = { jsonrpc: '2.0', id: 'b', method: 'tools/call' };
    input.end(JSON.stringify(last));
    output.write(line({ jsonrpc: '2.0', id: 1, result: {} }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(hasEnded).toBe(false);
    output.write(line({ jsonrpc: '2.0', id: 'b', error: { code: -32602, message: 'no' } }));
    // The transport reads whole lines only: one that nobody ended would have no answer.
    expect((await sent).endsWith(line(last))).toBe(true);
  });

  it('is passed on at once where nothing was asked', async () => {
    const { input } = answeringAll();
    const sent = text(input);
    input.end(line({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    expect(await sent).toContain('notifications/initialized');
  });
});

describe('a line that is no message', () => {
  /** What is answered to these bytes, which come one by one. */
  async function answers(bytes: string): Promise<unknown[]> {
    const { input, output } = answeringAll();
    const said = text(output);
    for (const byte of Buffer.from(bytes)) input.write(Buffer.of(byte));
    input.resume().end();
    await new Promise((resolve) => input.once('end', resolve));
    output.end();
    return (await said)
      .split('\n')
      .filter((one) => one !== '')
      .map((one) => JSON.parse(one));
  }
  const refusal = (id: unknown, code: number) => ({
    jsonrpc: '2.0',
    id,
    error: { code, message: expect.stringMatching(/\w/) },
  });

  it.each([
    ['words', 'hello\n', refusal(null, -32700)],
    ['half a message', '{"jsonrpc":\n', refusal(null, -32700)],
    ['a last line without its end', '{"jsonrpc":', refusal(null, -32700)],
    ['an object', '{}\n', refusal(null, -32600)],
    ['null', 'null\n', refusal(null, -32600)],
    ['a number', '1\n', refusal(null, -32600)],
    ['a batch', `[${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}]\n`, refusal(null, -32600)],
    ['an old version', line({ jsonrpc: '1.0', id: 7, method: 'ping' }), refusal(7, -32600)],
    ['no version', line({ id: 'ü', method: 'ping' }), refusal('ü', -32600)],
    ['an id of a wrong kind', line({ jsonrpc: '2.0', id: {}, method: 'ping' }), refusal(null, -32600)],
    ['a method of a wrong kind', line({ jsonrpc: '2.0', id: 2, method: 3 }), refusal(2, -32600)],
  ])('is answered with an error: %s', async (_, bytes, expected) => {
    expect(await answers(bytes)).toEqual([expected]);
  });

  it('does not reach the transport, which would only complain of it', async () => {
    const { input, output } = answeringAll();
    const sent = text(input);
    output.resume();
    const message = line({ jsonrpc: '2.0', method: 'notifications/initialized' });
    input.end(`hello\n${message}{}\n`);
    expect(await sent).toBe(message);
  });

  it('ends the session where it never ends itself', async () => {
    const { input } = answeringAll();
    const failed = new Promise<Error>((resolve) => input.once('error', resolve));
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 11; i += 1) input.write(megabyte);
    input.resume();
    expect((await failed).message).toContain('too long');
  });

  it.each([
    ['a response', line({ jsonrpc: '2.0', id: 1, result: {} })],
    ['a notification', line({ jsonrpc: '2.0', method: 'notifications/initialized' })],
    ['an empty line', '\r\n \n'],
  ])('is not: %s', async (_, bytes) => {
    expect(await answers(bytes)).toEqual([]);
  });
});
