import { readdirSync, readFileSync } from 'node:fs';

/** CPU that processes have used, all their threads, microseconds. */
export function cpuUsOf(pids: readonly number[]): number {
  const threads = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`),
  );
  // Nanoseconds on a CPU; /proc/…/stat counts in ticks of ten milliseconds.
  return threads.reduce((sum, thread) => {
    return sum + Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000;
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
