import { DowserError } from '../../model/errors/errors.ts';
import type { DriftedEntity } from '../../registry/contract/observation.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print } from '../context/context.ts';
import { expectNamed, parseWanted } from '../context/named-entity.ts';
import { isNamedBy, labelOf } from '../sources/read-source.ts';
import { driftText } from '../terminal/drift-text.ts';
import { oneLine } from '../terminal/text-width.ts';

async function chosen(backend: Backend, wanted: readonly string[]): Promise<readonly DriftedEntity[]> {
  const all = await backend.drift();
  const unknown = wanted.find((text) => !all.some((drifted) => isNamedBy(text, drifted)));
  if (unknown !== undefined) {
    await expectNamed(backend, parseWanted(unknown));
    throw new DowserError('NOT_FOUND', `'${unknown}' has no changes.`, {
      hint: 'List the entities with changes with `dowser drift`.',
    });
  }
  return wanted.length === 0 ? all : all.filter((drifted) => wanted.some((text) => isNamedBy(text, drifted)));
}

async function run(run: CommandRun): Promise<number> {
  const accepted = run.options.accept === true;
  return withBackend(run, { reads: !accepted, missing: 'warn' }, async (backend) => {
    const entities = await chosen(backend, run.args);
    if (accepted) for (const { entity_type, path } of entities) await backend.acceptDrift(entity_type, path);
    print(run, { accepted, entities }, () => {
      const { bold, dim } = run.out.style;
      const lines = entities.map((entry) => {
        const label = `${bold(oneLine(entry.name))} ${dim(oneLine(labelOf(entry)))}`;
        return accepted
          ? `${label}  accepted\n`
          : `${label}  since ${entry.drift.since}\n${driftText(entry.drift, run.out)}`;
      });
      return entities.length === 0 ? 'Nothing has changed since it was accepted.\n' : lines.join('');
    });
    return 0;
  });
}

export const command: CommandModule = { run };
