import { type McpServer, parseEntity } from '../../model/entity.ts';
import { openSource } from '../../sources/open/open-source.ts';
import type { RegisteredServer } from '../../standards/official/client-check.ts';
import { type CommandRun, settingsFor } from '../context/context.ts';
import { sourceContext } from './source-context.ts';

/** The servers that a registry at an address lists, by name. Nothing is stored. */
export async function readRegistry(run: CommandRun, url: string): Promise<readonly RegisteredServer[]> {
  const context = sourceContext(run, settingsFor(run).settings);
  const source = await openSource({ what: url, kind: 'registry' }, context, run.signal);
  const servers: RegisteredServer[] = [];
  for await (const item of source.read(run.signal)) {
    if ('problem' in item) throw item.problem;
    if ('entity' in item) servers.push({ name: item.part, entity: parseEntity(item.entity).entity as McpServer });
  }
  return servers;
}
