import { text } from 'node:stream/consumers';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { answeringAll } from './answer-all.ts';

const line = (message: object) => `${JSON.stringify(message)}\n`;

/** With everything read that comes out of it. */
function watched() {
  const { input, output } = answeringAll();
  const sent = text(input);
  output.resume();
  let isOver = false;
  input.on('end', () => {
    isOver = true;
  });
  return { input, output, sent, hasEnded: () => isOver };
}

describe('the end of the input', () => {
  it('waits until every request has its answer', async () => {
    const { input, output, sent, hasEnded } = watched();
    input.write(line({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    input.write(line({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    const last = { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'x' } };
    input.end(JSON.stringify(last));
    output.write(line({ jsonrpc: '2.0', id: 1, result: {} }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(hasEnded()).toBe(false);
    output.write(line({ jsonrpc: '2.0', id: 'b', error: { code: -32602, message: 'no' } }));
    // The transport reads whole lines only: without a line break, the last one would have no answer.
    expect((await sent).endsWith(line(last))).toBe(true);
  });

  it('is passed on at once without pending requests', async () => {
    const { input } = answeringAll();
    const sent = text(input);
    input.end(line({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    expect(await sent).toContain('notifications/initialized');
  });
});

describe('a line that is not a message', () => {
  /** What is answered to these bytes, which come one by one or a few at a time. */
  async function answers(bytes: string, atATime = 1): Promise<unknown[]> {
    const { input, output } = answeringAll();
    const said = text(output);
    const buffer = Buffer.from(bytes);
    for (let at = 0; at < buffer.length; at += atATime) input.write(buffer.subarray(at, at + atATime));
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

  const refusalSent = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } };

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

  it('does not reach the transport', async () => {
    const { input, output } = answeringAll();
    const sent = text(input);
    output.resume();
    const message = line({ jsonrpc: '2.0', method: 'notifications/initialized' });
    input.end(`hello\n${message}{}\n`);
    expect(await sent).toBe(message);
  });

  it('is skipped and refused if it is too long, and the session continues', async () => {
    const { input, output } = answeringAll();
    const sent = text(input);
    const said = text(output);
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 11; i += 1) input.write(megabyte);
    const next = line({ jsonrpc: '2.0', method: 'notifications/initialized' });
    input.end(`\n${next}`);
    expect(await sent).toBe(next);
    output.end();
    expect(
      (await said)
        .split('\n')
        .slice(0, -1)
        .map((one) => JSON.parse(one)),
    ).toEqual([refusal(null, -32600)]);
  });

  it('is measured in bytes, including the line break, like in the transport', async () => {
    const ofBytes = (bytes: number) => {
      const empty = Buffer.byteLength(line({ jsonrpc: '2.0', method: 'ü' }));
      return line({ jsonrpc: '2.0', method: `ü${'x'.repeat(bytes - empty)}` });
    };
    const longest = ofBytes(STDIO_DEFAULT_MAX_BUFFER_SIZE);
    expect(await answers(longest, longest.length)).toEqual([]);
    expect(await answers(ofBytes(STDIO_DEFAULT_MAX_BUFFER_SIZE + 1), longest.length)).toEqual([refusal(null, -32600)]);
  });

  it('reaches the transport alone, even if many arrive at once', async () => {
    const { input } = answeringAll();
    const message = line({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const chunks: string[] = [];
    input.on('data', (chunk) => chunks.push(String(chunk)));
    input.end(message.repeat(3));
    await new Promise((resolve) => input.once('end', resolve));
    expect(chunks).toEqual([message, message, message]);
  });

  it('does not answer a pending request with the same id', async () => {
    const { input, output, sent, hasEnded } = watched();
    input.write(line({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    input.end(line({ jsonrpc: '1.0', id: 1, method: 'ping' }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(hasEnded()).toBe(false);
    output.write(line({ jsonrpc: '2.0', id: 1, result: {} }));
    expect(await sent).toContain('tools/list');
  });

  it.each([
    ['a response', line({ jsonrpc: '2.0', id: 1, result: {} })],
    ['a refusal without an id', line(refusalSent)],
    ['a response without a version', line({ id: 1, result: {} })],
    ['a response of a wrong kind', line({ jsonrpc: '2.0', id: 1, result: 3 })],
    ['an error of a wrong kind', line({ jsonrpc: '2.0', id: 1, error: 'no' })],
    ['a request that is a response too', line({ jsonrpc: '2.0', id: 1, method: 'ping', result: {} })],
    ['a notification', line({ jsonrpc: '2.0', method: 'notifications/initialized' })],
    ['an empty line', '\r\n \n'],
  ])('is not: %s', async (_, bytes) => {
    expect(await answers(bytes)).toEqual([]);
  });
});
