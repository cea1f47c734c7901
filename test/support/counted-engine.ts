import type { Engine } from '../../src/engines/engine.ts';

/** The same engine, and how often each call of its ports was made, as `port.call`. Clear it to count again. */
export function countedEngine(engine: Engine): { readonly engine: Engine; readonly calls: Map<string, number> } {
  const calls = new Map<string, number>();
  const counted = <P extends object>(port: string, target: P): P =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: readonly unknown[]) => {
          const call = `${port}.${String(name)}`;
          calls.set(call, (calls.get(call) ?? 0) + 1);
          return Reflect.apply(value, target, args);
        };
      },
    });
  const { name, store, index, vectors, edges, replica, vectorServer } = engine;
  return {
    calls,
    engine: {
      name,
      store: counted('store', store),
      index: counted('index', index),
      vectors: counted('vectors', vectors),
      edges: counted('edges', edges),
      replica,
      vectorServer,
      close: () => engine.close(),
    },
  };
}
