import type { Engine } from '../engines/engine.ts';

type IsMethod<Name extends keyof Engine> = Engine[Name] extends (...args: never) => unknown ? Name : never;

export type EngineMethod = { [Name in keyof Engine]: IsMethod<Name> }[keyof Engine];

export type AnyMethod = (...args: readonly unknown[]) => unknown;

/** Every method of the port; the compiler says when one is missing. */
const METHODS = Object.keys({
  put: true,
  delete: true,
  getMany: true,
  scan: true,
  annotate: true,
  annotationsOf: true,
  annotated: true,
  searchKeyword: true,
  hasTags: true,
  inspect: true,
  matchedFields: true,
  searchVector: true,
  keywordScores: true,
  vectorScores: true,
  missingVectors: true,
  putVectors: true,
  build: true,
  serveBuilding: true,
  staleVectors: true,
  dropStaleVectors: true,
  stats: true,
  close: true,
} satisfies Record<EngineMethod, true>) as readonly EngineMethod[];

export type ChangeMethod = (name: EngineMethod, method: AnyMethod) => AnyMethod;

/**
 * The same engine with some methods changed. A plain object: a search passes through several views, and a proxy would cost
 * more than some of the calls themselves. `change` is given each method of the engine and gives the one to use.
 */
export function viewOf(engine: Engine, change: ChangeMethod = (_, method) => method): Engine {
  const methods: Partial<Record<EngineMethod, AnyMethod>> = {};
  for (const name of METHODS) {
    methods[name] = change(name, (...args) => (engine[name] as AnyMethod)(...args));
  }
  const view = {
    name: engine.name,
    capabilities: engine.capabilities,
    get embedder() {
      return engine.embedder;
    },
    get building() {
      return engine.building;
    },
  };
  return Object.assign(view, methods as Pick<Engine, EngineMethod>);
}
