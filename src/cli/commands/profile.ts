import { type Profile, ProfileFile } from '../../mcp/profiles/profile-file.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { splitList } from '../../model/text/trim-chars.ts';
import { audited } from '../context/audit-command.ts';
import { withBackend } from '../context/backend.ts';
import { chosenAction } from '../context/chosen-action.ts';
import { type CommandModule, type CommandRun, print, settingsFor, warn } from '../context/context.ts';
import { whereIs } from '../context/named-entity.ts';
import { oneLine } from '../terminal/text-width.ts';

type Action = (run: CommandRun, file: ProfileFile, name: string) => void | Promise<void>;

const listed = (given: unknown): readonly string[] | undefined =>
  given === undefined ? undefined : [...new Set([given].flat().flatMap((text) => splitList(String(text))))];

function fieldsOf({ type, tag, server, toolset, maxTokens }: CommandRun['options']) {
  const fields = {
    types: listed(type),
    tags: tag === undefined ? undefined : [tag].flat(),
    servers: listed(server),
    toolset,
    max_tokens: maxTokens === undefined ? undefined : Number(maxTokens),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const lineOf = (name: string, { types, tags, servers, toolset, max_tokens: tokens }: Profile): string =>
  oneLine(
    [
      `${name}  /mcp/p/${name}  toolset ${toolset}`,
      ...(types === undefined ? [] : [`types ${types.join(', ')}`]),
      ...(tags === undefined ? [] : [`tags ${tags.join(', ')}`]),
      ...(servers === undefined ? [] : [`servers ${servers.join(', ')}`]),
      ...(tokens === undefined ? [] : [`answers of at most ${tokens} tokens`]),
    ].join('; '),
  );

/** A profile may be there before its servers, but a misspelt path would give agents nothing, without a word. */
async function warnOfUnknown(run: CommandRun, servers: readonly string[]): Promise<void> {
  await withBackend(run, { missing: 'warn', reads: true }, async (backend) => {
    for (const path of servers) {
      const near: string[] = [];
      const found = await whereIs(backend, { type: null, path }, (meant) => near.push(meant));
      const hint = near[0] === undefined ? '' : ` Did you mean '${near[0]}'?`;
      if (found.length === 0) warn(run, oneLine(`Nothing is registered at '${path}'.${hint}`));
    }
  });
}

const set: Action = async (run, file, name) => {
  const fields = fieldsOf(run.options);
  const isDry = run.options.dryRun === true;
  const profile = isDry
    ? file.check(name, fields)
    : (await audited(run, 'profile set', [`profile:${name}`], () => file.write(name, fields)))!;
  if (profile.servers !== undefined) await warnOfUnknown(run, profile.servers);
  print(
    run,
    { name, endpoint: `/mcp/p/${name}`, profile, dry_run: isDry },
    () =>
      `${lineOf(name, profile)}\n${isDry ? 'Nothing was written.\n' : `Connect an agent: dowser mcp --profile ${name}\n`}`,
  );
};

const remove: Action = async (run, file, name) => {
  const profile = file.get(name);
  const isDry = run.options.dryRun === true;
  if (!isDry) await audited(run, 'profile remove', [`profile:${name}`], () => file.write(name, null));
  print(run, { name, profile, dry_run: isDry }, () => `${name} ${isDry ? 'would be removed' : 'removed'}.\n`);
};

const list: Action = (run, file) => {
  const profiles = file.read();
  print(run, { profiles }, () => {
    const lines = Object.entries(profiles).map(([name, profile]) => `${lineOf(name, profile)}\n`);
    return lines.length === 0 ? 'There are no profiles. Make one with `dowser profile set`.\n' : lines.join('');
  });
};

const ACTIONS: Readonly<Record<string, Action>> = { list, set, remove };

export const command: CommandModule = {
  async run(run) {
    if (run.key !== undefined) {
      throw new DowserError('FORBIDDEN', 'Only the user of the data folder may change its profiles.', {
        hint: 'Run the command without DOWSER_KEY.',
      });
    }
    const [action, name = ''] = run.args;
    await chosenAction(ACTIONS, action)(run, new ProfileFile(settingsFor(run).settings.data_dir), name);
    return 0;
  },
};
