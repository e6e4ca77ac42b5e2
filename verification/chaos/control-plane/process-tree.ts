import { execFileSync } from 'node:child_process';

/** Sends a signal to a process and its descendants; Postgres uses several process groups. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' });
  const children = new Map<number, number[]>();
  for (const line of table.trim().split('\n')) {
    const [child = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const tree = [pid];
  for (const found of tree) tree.push(...(children.get(found) ?? []));
  for (const found of tree) {
    try {
      process.kill(found, signal);
    } catch (error) {
      // A child may have exited since the table was read.
      if (found === pid || (error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Whether the process exists. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
