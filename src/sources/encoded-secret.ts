/** The shortest encoded form that cannot occur by chance. */
const MIN_CHARS = 8;

/** The characters beside it that hold a few of its bits. Bounded, so that a long text takes no longer. */
const NEIGHBORS = '[A-Za-z0-9+/_-]{0,3}';

/** A secret as it is written in an address, a form or JSON. Equal to the secret if that has only plain characters. */
export function sameText(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const ascii = inJson.replaceAll(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const inAddress = encodeURIComponent(secret.replaceAll(/\p{Surrogate}/gu, ''));
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  const lower = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [...new Set([secret, inJson, ascii, inAddress, lower(inAddress), inForm, lower(inForm)])];
}

/** Patterns of a secret in base64, base64url and hex, also inside a longer text, such as a user and password in one. */
export function encodedForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const separated = hex.match(/../g)?.join('[ :-]?') ?? '';
  return [
    ...[0, 1, 2].flatMap((offset) => {
      const inner = base64Within(bytes, offset);
      if (inner.length < MIN_CHARS) return [];
      const either = inner.replaceAll('+', '[+-]').replaceAll('/', '[/_]');
      return [`${NEIGHBORS}${either}${NEIGHBORS}={0,2}`];
    }),
    ...(hex.length < MIN_CHARS ? [] : [ignoringCase(separated)]),
    ...(bytes.length < 3
      ? []
      : [ignoringCase([...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))]),
  ];
}

/** The part of the base64 text that depends on the secret alone, if `offset` bytes (modulo 3) precede it. */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const from = Math.ceil((offset * 8) / 6);
  return text.slice(from, Math.floor(((offset + bytes.length) * 8) / 6));
}

const ignoringCase = (hex: string): string => hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
