import { describe, expect, it } from 'vitest';
import { ChildTransport } from './child-transport.ts';

const child = (script: string, maxBytes = 1000) =>
  new ChildTransport({
    command: process.execPath,
    args: ['-e', script],
    env: { PATH: process.env.PATH ?? '' },
    maxBytes,
  });
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

describe('ChildTransport', () => {
  it('knows why a process no longer reads its input when a message to it fails', async () => {
    const transport = child(
      "process.stdin.destroy(); setTimeout(() => { console.error('no key'); process.exit(4) }, 200)",
    );
    await transport.start();
    const sending = (async () => {
      for (;;) await transport.send(PING);
    })();
    await expect(sending).rejects.toThrow();
    expect([transport.outcome, transport.stderr]).toEqual(['exited with code 4', 'no key\n']);
    await transport.close();
  });

  it('reads messages however they are cut, and passes over what is none', async () => {
    const text = `hello\n${JSON.stringify({ ...PING, method: 'grüße' })}\n{"half\n${JSON.stringify(PING)}\n`;
    const cut = [...Buffer.from(text)].map((byte) => `process.stdout.write(Buffer.from([${byte}]))`).join(';');
    const transport = child(cut, 1000);
    const methods: string[] = [];
    const errors: Error[] = [];
    transport.onmessage = (message) => methods.push((message as { method: string }).method);
    transport.onerror = (error) => errors.push(error);
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.start();
    await closed;
    expect([methods, errors.length]).toEqual([['grüße', 'ping'], 1]);
  });

  it('ends a process whose message has no end', async () => {
    const transport = child("setInterval(() => process.stdout.write('x'.repeat(600)), 1)");
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.start();
    await closed;
    expect(transport.outcome).toBe('sent a message of more than 1000 bytes');
  });

  it('may be closed before it was started, and twice', async () => {
    const transport = child('');
    await transport.close();
    await transport.start();
    await Promise.all([transport.close(), transport.close()]);
  });
});
