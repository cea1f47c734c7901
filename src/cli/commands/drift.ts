import { DowserError } from '../../model/errors.ts';
import type { DriftedEntity } from '../../registry/provenance/observation.ts';
import { type Backend, openBackend } from '../backend.ts';
import {
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  printJson,
  settingsFor,
  warnMissing,
} from '../context.ts';
import { expectNamed, parseWanted } from '../named-entity.ts';
import { labelOf } from '../sources/read-source.ts';
import { driftLines } from '../terminal/drift-lines.ts';
import { oneLine } from '../terminal/text-width.ts';

function isMeant(wanted: string, drifted: DriftedEntity): boolean {
  return [labelOf(drifted), drifted.path, drifted.path.replace(/^\//, '')].includes(wanted);
}

async function chosen(backend: Backend, wanted: readonly string[]): Promise<readonly DriftedEntity[]> {
  const all = await backend.drift();
  const unknown = wanted.find((text) => !all.some((drifted) => isMeant(text, drifted)));
  if (unknown !== undefined) {
    const named = parseWanted(unknown);
    await expectNamed(backend, named);
    throw new DowserError('NOT_FOUND', `'${unknown}' has no changes.`, { hint: '`dowser drift` lists what has.' });
  }
  return wanted.length === 0 ? all : all.filter((drifted) => wanted.some((text) => isMeant(text, drifted)));
}

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const { settings } = settingsFor(context, options);
  const backend = await openBackend(settings, {
    reads: options.accept !== true,
    onMissing: warnMissing(context, options),
  });
  try {
    const drifted = await chosen(backend, args);
    const accepted = options.accept === true;
    if (accepted) for (const { entity_type, path } of drifted) await backend.acceptDrift(entity_type, path);
    if (options.json === true) printJson(context, { accepted, entities: drifted });
    else {
      const { out } = context;
      if (drifted.length === 0) out.write('Nothing has changed since it was accepted.\n');
      for (const entry of drifted) {
        const label = `${out.style.bold(oneLine(entry.name))} ${out.style.dim(oneLine(labelOf(entry)))}`;
        out.write(`${label}  ${accepted ? 'accepted' : `since ${entry.drift.since}`}\n`);
        if (!accepted)
          out.write(
            driftLines(entry.drift, out)
              .map((line) => `${line}\n`)
              .join(''),
          );
      }
    }
    return 0;
  } finally {
    await backend.close();
  }
}

export const command: CommandModule = { run };
