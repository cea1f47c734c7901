import type { ToolCaller } from './contract/tool-caller.ts';

/** Loads the rest with the first call: most processes that could call tools never do. */
export function callsOnUse(open: () => Promise<ToolCaller>): ToolCaller {
  let opened: Promise<ToolCaller> | undefined;
  const use = () => {
    opened ??= open();
    return opened;
  };
  return {
    call: async (...args) => (await use()).call(...args),
    preflight: async (...args) => (await use()).preflight(...args),
    check: async (...args) => (await use()).check(...args),
    readResult: async (...args) => (await use()).readResult(...args),
    status: async () => (opened === undefined ? [] : (await opened).status()),
    stop: async (path) => (opened === undefined ? 0 : (await opened).stop(path)),
    close: async () => (await opened)?.close(),
  };
}
