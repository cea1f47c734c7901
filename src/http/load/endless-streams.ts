const ENDLESS = new WeakSet<Response>();

/** Marks a stream that goes on until its client leaves. It counts in the limit of its caller only: see `admit.ts`. */
export function endless(response: Response): Response {
  ENDLESS.add(response);
  return response;
}

export const isEndless = (response: Response): boolean => ENDLESS.has(response);
