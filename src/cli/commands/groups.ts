import { readFile } from 'node:fs/promises';
import { GRANTED_TYPES, type GrantChange, planGrant } from '../../access/plan-grants.ts';
import { type GroupGrants, readScopeDocuments } from '../../access/scope-documents.ts';
import { includedScopes } from '../../model/caller.ts';
import { DowserError } from '../../model/errors.ts';
import { parseYaml } from '../../sources/formats/yaml-document.ts';
import { type Backend, withBackend } from '../backend.ts';
import { type CommandModule, type CommandRun, print, runNamed } from '../context.ts';
import { oneLine } from '../terminal/text-width.ts';

/** `payments=read+write,platform=read`, for the setting `group_scopes`. */
function settingOf(grants: GroupGrants): string {
  return [...grants].map(([group, { scopes }]) => `${group}=${includedScopes([...scopes]).join('+')}`).join(',');
}

async function changesOf(backend: Backend, grants: GroupGrants): Promise<readonly GrantChange[]> {
  const changes: GrantChange[] = [];
  for await (const { entity } of backend.all(GRANTED_TYPES)) {
    const change = planGrant(grants, entity);
    if (change !== null) changes.push(change);
  }
  return changes;
}

async function importFile(run: CommandRun, file: string | undefined): Promise<number> {
  if (file === undefined) {
    throw new DowserError('INVALID_REQUEST', 'The file of scopes is missing.', { hint: 'dowser groups import <file>' });
  }
  const grants = readScopeDocuments(parseYaml(await textOfFile(file), file));
  const dryRun = run.options.dryRun === true;
  return withBackend(run, { reads: dryRun, missing: 'refuse' }, async (backend) => {
    const changes = await changesOf(backend, grants);
    if (!dryRun) {
      for (const { type, path, ...fields } of changes) await backend.patch(type, path, fields);
    }
    const group_scopes = settingOf(grants);
    const warnings = toolListWarnings(grants);
    print(run, { group_scopes, changed: changes, dry_run: dryRun, warnings }, () =>
      textOf(group_scopes, changes, dryRun, warnings),
    );
    return 0;
  });
}

/** A group that may use some tools of a server sees all of them here: the reader of the report must know. */
function toolListWarnings(grants: GroupGrants): readonly string[] {
  return [...grants].flatMap(([group, { partial }]) =>
    [...partial].map(
      (server) => `The group '${group}' may use some tools of ${server} only. Here it sees all of them.`,
    ),
  );
}

async function textOfFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new DowserError('INVALID_FILE', `Cannot read ${file} (${(cause as NodeJS.ErrnoException).code}).`, { cause });
  }
}

function textOf(
  groupScopes: string,
  changes: readonly GrantChange[],
  dryRun: boolean,
  warnings: readonly string[],
): string {
  const lines = changes.map(({ type, path, allowed_groups }) => {
    const groups = allowed_groups.length === 0 ? 'admins and its owner only' : allowed_groups.join(', ');
    return oneLine(`${type}:${path}  ${groups}`);
  });
  const done = dryRun ? 'would change' : 'changed';
  return `${[...warnings.map((warning) => oneLine(`Warning: ${warning}`)), ...lines, `${changes.length} ${done}. Set what the groups may do:`, '', `  group_scopes  ${groupScopes}`].join('\n')}\n`;
}

function run(run: CommandRun): Promise<number> {
  return runNamed(run, 'action', { import: () => importFile(run, run.args[1]) });
}

export const command: CommandModule = { run };
