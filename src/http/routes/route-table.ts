import type { Hono } from 'hono';
import type { Route } from '../../api/routes/routes.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { AppContext, Variables } from '../context/app-context.ts';
import { toRouterPath } from './router-path.ts';

export type AddRoute = (route: Route, answer: (c: AppContext) => Response | Promise<Response>) => void;

export interface RouteTable {
  readonly route: AddRoute;
  /** Answers OPTIONS, and refuses the methods that no route of a path has. Call it after the last `route`. */
  refuseOtherMethods(): void;
}

export function routeTable(app: Hono<{ Variables: Variables }>): RouteTable {
  const methodsByPath = new Map<string, string[]>();
  return {
    route: ({ method, path }, answer) => {
      const routerPath = toRouterPath(path);
      methodsByPath.set(routerPath, [...(methodsByPath.get(routerPath) ?? []), method]);
      app.on(method, routerPath, (c: AppContext) => {
        c.set('route', path);
        return answer(c);
      });
    },
    refuseOtherMethods: () => {
      for (const [path, methods] of methodsByPath) {
        const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
        app.all(path, (c) => {
          c.header('Allow', `${allow}, OPTIONS`);
          if (c.req.method === 'OPTIONS') return c.body(null, 204);
          throw new DowserError('METHOD_NOT_ALLOWED', `${showValue(c.req.path)} does not support ${c.req.method}.`, {
            hint: `Use ${allow}.`,
          });
        });
      }
    },
  };
}
