import type { Context } from 'hono';
import type { Operation } from '../../api/routes/operation.ts';
import { whenBodyEnds } from '../../api/wire/when-body-ends.ts';
import { checkBodyType } from '../body/read-body.ts';
import { isEndless } from './endless-streams.ts';
import { type ReceivedBody, receiveBody } from './receive-body.ts';
import type { ServerLoad } from './server-load.ts';

/** Which body a route takes, and whether its requests wait for a turn. */
export type Accepts = Operation | 'any' | 'none' | 'unqueued';
type Answer<C> = (c: C, body?: Uint8Array) => Promise<Response>;

/**
 * Answers a request when it is its turn. Its body is received before that, within limits of its own: a slow upload must not
 * hold a place among the running requests. A streamed answer holds its place and its body until the stream ends. `any` takes
 * a body of any type, `none` reads none, `unqueued` neither reads one nor waits.
 */
export function admit({ admission, bodies }: ServerLoad) {
  return <C extends Context>(operation: Accepts, answer: Answer<C>) =>
    async (c: C): Promise<Response> => {
      if (operation === 'unqueued') return answer(c);
      admission.check();
      const request = c.req.raw;
      let received: ReceivedBody | undefined;
      if (operation === 'any') received = await receiveBody(request, bodies);
      else if (operation !== 'none' && operation.body !== undefined) {
        checkBodyType(request, operation.form === true);
        received = await receiveBody(request, bodies);
      }
      let leave: (() => void) | undefined;
      const release = () => {
        received?.release();
        leave?.();
      };
      try {
        leave = await admission.enter(() => request.signal);
        const response = await answer(c, received?.bytes);
        if (!isEndless(response)) return whenBodyEnds(request, response, release);
        release();
        return response;
      } catch (thrown) {
        release();
        throw thrown;
      }
    };
}
