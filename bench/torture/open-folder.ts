import { parseSettings } from '../../src/config.ts';
import { startServer } from '../../src/http/server.ts';
import { openRegistry, openUpkeep } from '../../src/open.ts';

const SILENT = { info() {}, warn() {}, error() {} };

/** Serves a data folder in this process, for as long as `work` takes. Embeds nothing. */
export async function whileServed<T>(dir: string, work: (url: string) => Promise<T>): Promise<T> {
  const settings = parseSettings({ data_dir: dir, port: 0, embeddings_provider: 'off', tool_discovery: false });
  const registry = await openRegistry(settings, { background: false });
  const server = await startServer({ registry, version: '0', logger: SILENT, settings });
  try {
    return await work(server.url);
  } finally {
    await server.close();
  }
}

/** What `dowser backup`, `restore` and `doctor` do with a folder. */
export function upkeepOf(dir: string) {
  return openUpkeep(parseSettings({ data_dir: dir }));
}
