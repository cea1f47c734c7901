/** Sends JSON, and returns the status and the parsed answer. Throws if the connection breaks. */
export async function ask<T = unknown>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: T }> {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T };
}

/** The answer of a request that must succeed. */
export async function answerOf<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const { status, body: answer } = await ask<T>(url, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: status ${status}, ${JSON.stringify(answer)}`);
  return answer;
}
