import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DowserError } from '../../model/errors/errors.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print } from '../context/context.ts';
import { toTypes } from '../context/filter-options.ts';
import { formatEntities } from '../terminal/progress.ts';
import { visibleText } from '../terminal/visible-text.ts';

async function run(run: CommandRun): Promise<number> {
  const types = toTypes(run.options.type);
  const file = run.options.out as string | undefined;
  return withBackend(run, { reads: true, missing: 'refuse' }, async (backend) => {
    let entities = 0;
    async function* lines() {
      for await (const { entity } of backend.all(types)) {
        entities++;
        yield `${visibleText(JSON.stringify(entity))}\n`;
      }
    }
    if (file === undefined) await pipeline(Readable.from(lines()), process.stdout, { end: false });
    else {
      await writeWhole(Readable.from(lines()), file);
      print(run, { entities, file }, () => `Exported ${formatEntities(entities)} to ${file}\n`);
    }
    return 0;
  });
}

/** An export that fails keeps the existing file. */
async function writeWhole(text: Readable, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(text, createWriteStream(part));
    await rename(part, file);
  } catch (cause) {
    await rm(part, { force: true });
    if (cause instanceof DowserError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new DowserError('INVALID_FILE', `${file} cannot be written (${code ?? message}).`, {
      hint: 'Check the folder and its permissions, or choose another file with --out.',
      cause,
    });
  }
}

export const command: CommandModule = { run };
