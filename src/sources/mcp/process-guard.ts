import { spawn } from 'node:child_process';
import { RUN_VARIABLE } from './marked-processes.ts';

/** Ends a process and its descendants if this process is killed before it can do so itself. */
export interface ProcessGuard {
  /** The process has ended. */
  release(): void;
}

/**
 * A shell that waits for a line. The pipe closes without one when this process dies, however that happens. Then the group gets
 * a second to follow its closed input, a second to follow SIGTERM, and SIGKILL. On Linux, so does whatever has left the group
 * and has the mark of the run. About 1 MB.
 */
const SCRIPT = `
if read -r line; then exit 0; fi
sleep 1
kill -TERM -"$1" 2>/dev/null && sleep 1
kill -KILL -"$1" 2>/dev/null
for round in 1 2 3; do
  found=
  for folder in /proc/[0-9]*; do
    if grep -qsF -- "$2" "$folder/environ"; then found=1; kill -KILL "\${folder#/proc/}" 2>/dev/null; fi
  done
  [ -z "$found" ] && break
done
exit 0`;

/** Windows has no process groups: there, a killed Dowser leaves its children to their closed input. */
export function guardProcess(pid: number, run: string): ProcessGuard | null {
  if (process.platform === 'win32') return null;
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'dowser-guard', String(pid), `${RUN_VARIABLE}=${run}`], {
    // A session of its own: Ctrl-C in the terminal must not end it first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  // A pipe of Node keeps the process alive.
  (guard.stdin as typeof guard.stdin & { unref?(): void }).unref?.();
  return { release: () => guard.stdin.end('done\n') };
}
