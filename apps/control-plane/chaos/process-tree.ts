import { execFileSync } from 'node:child_process';

/** Sends a signal to a process and all that come of it: what Postgres is made of are groups of their own. */
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
      // A child may have ended since the table was read, by itself or because its parent goes on.
      if (found === pid || (error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Whether there is such a process. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
