import { setTimeout as wait } from 'node:timers/promises';
import { ended, startCommand, textOf } from './served-process.ts';

/** A server whose callers need credentials, so that each has a share. */
export const WITH_SHARES = { DOWSER_AUTH: 'on' };

/** The other caller stays within its share. */
const LIGHT_PAUSE_MS = 20;

export interface HeavyCallerReport {
  /** Answers by status. */
  readonly heavy: Readonly<Record<string, number>>;
  readonly light: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

export async function keyOf(data: string, name: string, scopes = 'read'): Promise<string> {
  const child = startCommand(['key', 'create', '--name', name, '--scopes', scopes, '--data', data]);
  const stdout = textOf(child.stdout!);
  await ended(child);
  return stdout().trim().split('\n')[0]!;
}

/**
 * One caller with many clients that never wait, beside one that asks once at a time: the first must be told when to come back,
 * the second must be served.
 */
export async function heavyCaller(
  data: string,
  url: string,
  { clients, requests }: { readonly clients: number; readonly requests: number },
): Promise<HeavyCallerReport> {
  const problems: string[] = [];
  const [heavyKey, lightKey] = [await keyOf(data, 'heavy'), await keyOf(data, 'light')];
  const send = async (key: string, counts: Record<string, number>) => {
    const response = await fetch(`${url}/api/search/semantic`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ query: 'send a letter' }),
    });
    await response.arrayBuffer();
    const { status } = response;
    counts[status] = (counts[status] ?? 0) + 1;
    const retryAfter = Number(response.headers.get('retry-after'));
    if (status === 429 && !(retryAfter >= 1)) problems.push('heavy caller: 429 without Retry-After');
    if (status >= 500) problems.push(`heavy caller: status ${status}`);
  };
  const heavy: Record<string, number> = {};
  const light: Record<string, number> = {};
  let left = requests;
  const flood = Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) await send(heavyKey, heavy);
    }),
  );
  while (left > 0) {
    await send(lightKey, light);
    await wait(LIGHT_PAUSE_MS);
  }
  await flood;
  await send(lightKey, light);
  if (heavy['429'] === undefined) problems.push('heavy caller: was not told to wait');
  if (Object.keys(light).some((status) => status !== '200')) problems.push(`another caller: ${JSON.stringify(light)}`);
  return { heavy, light, problems: [...new Set(problems)] };
}
