/** How much of a file tells whether it is text. */
const SAMPLE_BYTES = 65_536;
/** Of the bytes of a sample: text has hardly any control characters. */
const MAX_CONTROL_SHARE = 0.01;
/** Of the units of a sample: Latin text in UTF-16 has a zero byte in nearly every unit. */
const MIN_ZERO_SHARE = 0.4;

/**
 * UTF-8, or UTF-16 with a byte order mark or mostly Latin letters. Line ends become LF. Null for any other bytes: a guess at
 * an older encoding would fill the index with wrong words.
 */
export function decodeText(bytes: Uint8Array): string | null {
  const encoding = encodingOf(bytes);
  if (encoding === null) return null;
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (hasControls(text)) return null;
    return text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  } catch {
    return null;
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const length = Math.min(bytes.length, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (let i = 0; i < length; i++) if (bytes[i] === 0) zeros[i & 1]!++;
  if (zeros[0] === 0 && zeros[1] === 0) return 'utf-8';
  const least = (length / 2) * MIN_ZERO_SHARE;
  if (zeros[0] === 0 && zeros[1]! >= least) return 'utf-16le';
  if (zeros[1] === 0 && zeros[0]! >= least) return 'utf-16be';
  return null;
}

function hasControls(text: string): boolean {
  const length = Math.min(text.length, SAMPLE_BYTES);
  let controls = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0) return true;
    // Tab, line feed, form feed, carriage return and escape are part of text files.
    if (code < 32 && code !== 9 && code !== 10 && code !== 12 && code !== 13 && code !== 27) controls++;
  }
  return controls > length * MAX_CONTROL_SHARE;
}
