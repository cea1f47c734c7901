import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { splitList, trimEndChars } from '../model/text/trim-chars.ts';

/** The environment and the command line have text only, so numbers and booleans may be text too. */
export const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    z.int(message).min(min, message).max(max, message),
  );
};

export const share = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
  z.number('must be a number from 0 to 1').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1'),
);

const SWITCH_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
};
export const onOff = z.preprocess(
  (value) => (typeof value === 'string' ? (SWITCH_WORDS[value.trim().toLowerCase()] ?? value) : value),
  z.boolean('must be true or false'),
);

export const oneOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export const folder = z
  .string('must be the path of a folder')
  .min(1, 'must be the path of a folder')
  .transform((path) => resolve(path.replace(/^~(?=$|[\\/])/, () => homedir())));

export const word = z.string('must be text').trim().min(1, 'must not be empty');

/** A list of texts, or one text with commas. */
export const words = z.preprocess(
  (value) => (typeof value === 'string' ? splitList(value) : value),
  z.array(word, 'must be a comma-separated text or a list').readonly(),
);

/** Without a trailing slash, so that paths can be appended. */
export const address = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((url) => trimEndChars(url, '/'));

/** `https://tools.example.com:8443`: no path. As browsers send it. */
export const origin = z
  .url({ protocol: /^https?$/, error: 'must be an origin such as https://tools.example.com' })
  .refine(
    (url) => /^[^/]+\/\/[^/?#@]+\/?$/.test(url),
    'must be an origin without a path, such as https://tools.example.com',
  )
  .transform((url) => new URL(url).origin);

/** An IP address, or a range such as `10.0.0.0/8`. */
export const addressRange = z.string().refine((text) => {
  const [host = '', bits, ...rest] = text.split('/');
  const most = { 4: 32, 6: 128 }[isIP(host)];
  if (most === undefined || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
}, 'must be an IP address, or a range such as 10.0.0.0/8');
