import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Names one process for as long as the machine runs: a process id alone is given out again. */
export interface ProcessIdentity {
  pid: number;
  /** The kernel's start time of the process, compared for equality only. */
  startedAt: string;
}

/** The identity of a live process; undefined when none has this id or it is dead and only not yet reaped. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined;
  return process.platform === 'linux' ? readProcStat(pid) : askPs(pid);
}

/** Whether this very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

function readProcStat(pid: number): ProcessIdentity | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // no such process
  }
  // The second field is the command in parentheses and may hold blanks; state is field 3, start time field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startedAt = fields[19];
  return state === 'Z' || state === 'X' || startedAt === undefined ? undefined : { pid, startedAt };
}

function askPs(pid: number): ProcessIdentity | undefined {
  const result = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state, ...started] = (result.stdout ?? '').trim().split(/\s+/);
  if (result.status !== 0 || state === undefined || state.startsWith('Z')) return undefined;
  return { pid, startedAt: started.join(' ') };
}
