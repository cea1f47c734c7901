import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Evaluation, evaluationSchema } from '../api/operations/evaluation-operations.ts';

const FILE = 'eval.json';
const NOTHING: Evaluation = { measured_at: null, sets: [] };

/** What `dowser eval` measured last. A file that is missing or damaged has nothing: the next run writes it again. */
export async function readEvaluation(dataDir: string): Promise<Evaluation> {
  try {
    const parsed = evaluationSchema.safeParse(JSON.parse(await readFile(join(dataDir, FILE), 'utf8')));
    return parsed.success ? parsed.data : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Replaces the figures as a whole: a server that reads them meanwhile sees the old ones or the new ones. */
export async function writeEvaluation(dataDir: string, evaluation: Evaluation): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, FILE);
  await writeFile(`${file}.new`, JSON.stringify(evaluationSchema.parse(evaluation)), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
