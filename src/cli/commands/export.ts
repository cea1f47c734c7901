import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DowserError } from '../../model/errors.ts';
import { type Backend, openExisting } from '../backend.ts';
import { type CommandContext, type CommandModule, type CommandOptions, printJson, settingsFor } from '../context.ts';
import { toTypes } from '../filter-options.ts';
import { formatEntities } from '../terminal/progress.ts';

async function run(context: CommandContext, _args: readonly string[], options: CommandOptions): Promise<number> {
  const types = toTypes(options.type);
  const file = options.out as string | undefined;
  const { settings } = settingsFor(context, options);
  const backend = await openExisting(settings, { reads: true });
  let entities = 0;
  async function* lines(all: ReturnType<Backend['all']>) {
    for await (const { entity } of all) {
      entities++;
      yield `${JSON.stringify(entity)}\n`;
    }
  }
  try {
    const text = Readable.from(lines(backend.all(types)));
    if (file === undefined) await pipeline(text, process.stdout, { end: false });
    else {
      await writeWhole(text, file);
      if (options.json === true) printJson(context, { entities, file });
      else context.out.write(`Exported ${formatEntities(entities)} to ${file}\n`);
    }
    return 0;
  } finally {
    await backend.close();
  }
}

/** An export that fails half-way leaves the file that was there. */
async function writeWhole(text: Readable, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(text, createWriteStream(part));
    await rename(part, file);
  } catch (cause) {
    await rm(part, { force: true });
    if (cause instanceof DowserError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new DowserError('INVALID_FILE', `${file} cannot be written (${code ?? message}).`, { cause });
  }
}

export const command: CommandModule = { run };
