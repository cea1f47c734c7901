import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { answeringAll } from './answer-all.ts';

const line = (message: object) => `${JSON.stringify(message)}\n`;

it('holds the end of the input back until every question has its answer', async () => {
  const { input, output } = answeringAll();
  const sent = text(input);
  output.resume();
  let hasEnded = false;
  input.on('end', () => {
    hasEnded = true;
  });
  input.write(line({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
  input.write(line({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  input.end(JSON.stringify({ jsonrpc: '2.0', id: 'b', method: 'tools/call' }));
  output.write(line({ jsonrpc: '2.0', id: 1, result: {} }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(hasEnded).toBe(false);
  output.write(line({ jsonrpc: '2.0', id: 'b', error: { code: -32602, message: 'no' } }));
  expect(await sent).toContain('tools/call');
});

it('ends at once where nothing was asked, and passes on what is no message', async () => {
  const { input } = answeringAll();
  const sent = text(input);
  input.end('not json\n');
  expect(await sent).toBe('not json\n');
});
