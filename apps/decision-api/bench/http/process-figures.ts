import { readFileSync } from 'node:fs';

/** A tick of /proc is ten milliseconds wherever Linux runs. */
const TICK_US = 10_000;

/** CPU that processes have used, microseconds. */
export function cpuUsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    // The second field is the command in brackets, which may hold blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_US;
  }, 0);
}

/** Resident memory of processes, MB. */
export function rssMbOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return sum + Number(kb) / 1024;
  }, 0);
}

/** A process and those that it started. */
export function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => family(Number(child))))];
}
