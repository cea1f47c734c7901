export interface BatchLimits {
  readonly texts: number;
  /** Of all texts of a batch together. */
  readonly chars: number;
  /** A longer text is cut. */
  readonly textChars: number;
}

/** The beginning of a text. Never splits a surrogate pair. */
export function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Groups texts in order, within the limits. Sends a space for an empty text, which endpoints refuse. */
export function* batchesOf(texts: readonly string[], limits: BatchLimits): Generator<readonly string[]> {
  let batch: string[] = [];
  let chars = 0;
  for (const whole of texts) {
    const text = whole === '' ? ' ' : cut(whole, limits.textChars);
    if (batch.length === limits.texts || (batch.length > 0 && chars + text.length > limits.chars)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(text);
    chars += text.length;
  }
  if (batch.length > 0) yield batch;
}
