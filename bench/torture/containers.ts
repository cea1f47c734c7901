import { ALLOWED, attackAll, fillOwned, ownedState } from '../../test/support/container-attacks.ts';
import { keyOf } from './heavy-caller.ts';

export interface ContainersReport {
  readonly attempts: number;
  readonly deviations: number;
  readonly problems: readonly string[];
}

/** A second writer tries every operation that writes on the public entities of a first one. Readers must see no difference. */
export async function containers(data: string, url: string): Promise<ContainersReport> {
  const [owner, other] = [await keyOf(data, 'owner', 'write'), await keyOf(data, 'other', 'write')];
  const send = async (method: string, path: string, { key, body }: { key: string; body?: unknown }) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
  const memories = await fillOwned(send, owner);
  const before = await ownedState(send, other, memories);
  const attempts = await attackAll(send, other, memories);
  const through = attempts.filter(
    ({ operation, status }) => (!ALLOWED.includes(operation) && status < 400) || status >= 500,
  );
  const problems = through.map(
    ({ operation, status }) => `containers: ${operation} by another writer: status ${status}`,
  );
  if ((await ownedState(send, other, memories)) !== before) problems.push('containers: readers see a difference');
  return { attempts: attempts.length, deviations: problems.length, problems };
}
