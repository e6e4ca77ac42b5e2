import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The committed sample. */
export const SAMPLE = fileURLToPath(new URL('../samples/apache-sample.log.gz', import.meta.url));

interface Finished {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** The built `tollgate` command, started; without a terminal. */
export function startTollgate(
  args: string[],
  env: Record<string, string> = {},
): { child: ChildProcess; finished: Promise<Finished> } {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
    cwd: '/',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const finished = once(child, 'close').then(() => ({ exitCode: child.exitCode, stdout, stderr }));
  return { child, finished };
}
