import { type Environment, ended, startCommand, textOf } from '../torture/served-process.ts';

/** Runs a command of Dowser to its end. Throws with what it said if it fails. */
export async function runCommand(args: readonly string[], env: Environment): Promise<void> {
  const child = startCommand(args, env);
  const stderr = textOf(child.stderr!);
  child.stdout!.resume();
  await ended(child);
  if (child.exitCode !== 0) throw new Error(`dowser ${args.join(' ')} failed: ${stderr()}`);
}
