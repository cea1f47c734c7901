import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * How a server and the commands of the same user know each other. `server.json` has a secret that only this user can read. A
 * command sends a challenge, and the server proves with its answer that it has the secret: another program on the port
 * cannot. Then the command may send the key, which shows that it can read `server.json` too. The secret itself is never sent.
 */
export const CHALLENGE_HEADER = 'x-dowser-challenge';
export const PROOF_HEADER = 'x-dowser-proof';
export const KEY_HEADER = 'x-dowser-key';

const MAX_CHALLENGE_CHARS = 128;

const digest = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** Null for a challenge that no command sends. */
export function proofOf(secret: string, challenge: string): string | null {
  return challenge.length > MAX_CHALLENGE_CHARS ? null : digest(secret, `proof ${challenge}`);
}

export function keyOf(secret: string): string {
  return digest(secret, 'key');
}

/** Takes the same time for every wrong text of the same length. */
export function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
