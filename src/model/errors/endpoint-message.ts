const MAX_CHARS = 200;

/** The message of an endpoint's error, on one line: `{error: {message}}`, `{error}`, `{message}`, `{detail}`, or its text without tags. */
export function endpointMessage(body: string): string {
  const line = messageIn(body).replaceAll(/\s+/g, ' ').trim();
  return (line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 3)}...` : line).replace(/\.$/, '');
}

function messageIn(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null;
    const error = body?.error as Record<string, unknown> | string | undefined;
    const said = typeof error === 'object' ? error?.message : (error ?? body?.message ?? body?.detail);
    return typeof said === 'string' ? said : '';
  } catch {
    return text.replaceAll(/<[^<>]*>/g, ' ');
  }
}
