import { readFile } from 'node:fs/promises';
import { GRANTED_TYPES, type GrantChange, partialGroups, planGrant } from '../../access/plan-grants.ts';
import { type GroupGrants, groupScopesOf, readScopeDocuments } from '../../access/scope-documents.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseYaml } from '../../sources/formats/yaml-document.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print, runNamed } from '../context/context.ts';
import { oneLine } from '../terminal/text-width.ts';

interface Plan {
  readonly changes: readonly GrantChange[];
  /** For each group that may use some tools of a server only: its readers see all of them here. */
  readonly warnings: readonly string[];
}

async function planOf(backend: Backend, grants: GroupGrants): Promise<Plan> {
  const changes: GrantChange[] = [];
  const warnings: string[] = [];
  for await (const { entity } of backend.all(GRANTED_TYPES)) {
    const change = planGrant(grants, entity);
    if (change !== null) changes.push(change);
    for (const group of partialGroups(grants, entity)) {
      warnings.push(`The group '${group}' may use some tools of ${entity.path} only, so it does not see it here.`);
    }
  }
  return { changes, warnings };
}

async function importFile(run: CommandRun, file: string | undefined): Promise<number> {
  if (file === undefined) {
    throw new DowserError('INVALID_REQUEST', 'The file of scopes is missing.', { hint: 'dowser groups import <file>' });
  }
  const grants = readScopeDocuments(parseYaml(await textOfFile(file), file));
  const dryRun = run.options.dryRun === true;
  return withBackend(run, { reads: dryRun, missing: 'refuse' }, async (backend) => {
    const { changes, warnings } = await planOf(backend, grants);
    if (!dryRun) {
      for (const { type, path, ...fields } of changes) await backend.patch(type, path, fields);
    }
    const group_scopes = groupScopesOf(grants);
    print(run, { group_scopes, changed: changes, dry_run: dryRun, warnings }, () =>
      textOf(group_scopes, changes, dryRun, warnings),
    );
    return 0;
  });
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
