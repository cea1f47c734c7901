import { existsSync, readFileSync } from 'node:fs';
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

/** A process that has ended stays in the table until its parent asks for it. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

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

  it('takes nothing more from a process whose message was too long, however it goes on', async () => {
    const script = `process.on('SIGTERM', () => {});
      const send = (method) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method }) + '\\n');
      send('x'.repeat(500_000));
      send('ping');
      setInterval(() => {}, 1000)`;
    const transport = child(script, 1000);
    const methods: string[] = [];
    transport.onmessage = (message) => methods.push((message as { method: string }).method);
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.start();
    await closed;
    const { pid } = transport;
    await expect.poll(() => isRunning(pid!), { timeout: 30_000 }).toBe(false);
    expect([methods, transport.outcome, transport.isTooLong]).toEqual([
      [],
      'sent a message of more than 1000 bytes',
      true,
    ]);
  });

  // Only Linux tells the environment of other processes.
  it.runIf(process.platform === 'linux')('ends processes that have left the group of their parent', async () => {
    const sleep = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
    const leave = `const { spawn } = require('node:child_process');
      const far = spawn(process.execPath, ['-e', ${JSON.stringify(sleep)}], { detached: true, stdio: 'ignore' });
      far.unref();
      console.log(JSON.stringify({ jsonrpc: '2.0', method: String(far.pid) }));
      process.stdin.resume();`;
    const transport = child(leave);
    const pid = new Promise<number>((resolve) => {
      transport.onmessage = (message) => resolve(Number((message as { method: string }).method));
    });
    await transport.start();
    const far = await pid;
    expect(isRunning(far)).toBe(true);
    await transport.close();
    await expect.poll(() => isRunning(far)).toBe(false);
  });

  it('may be closed before it was started, and twice', async () => {
    const transport = child('');
    await transport.close();
    await transport.start();
    await Promise.all([transport.close(), transport.close()]);
  });
});
