import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceCommand, type ServiceProcess, startService } from './service-process.js';

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

interface OwnerRecord {
  /** The server that uses the directory. */
  server: ProcessIdentity;
  /** The process that started it and is expected to stop it. */
  starter: ProcessIdentity;
}

const STOP_GRACE_MS = 15_000;

/**
 * Makes a data directory free to use.
 *
 * A server left behind by a starter that is dead (killed before it could clean up) is stopped with `stopSignal`,
 * then with SIGKILL. Only processes recorded in our own owner file, same id and same start time, are ever signalled.
 * @throws Error when the starter is alive: two programs would be using one directory.
 */
export async function takeOverDirectory(dir: string, stopSignal: NodeJS.Signals): Promise<void> {
  const record = readOwner(dir);
  if (record === undefined || !isAlive(record.server)) return;
  if (isAlive(record.starter)) {
    throw new Error(
      `${dir} is in use by process ${record.server.pid}, started by process ${record.starter.pid}, which is still running`,
    );
  }
  process.kill(record.server.pid, stopSignal);
  if (await diesWithin(record.server, STOP_GRACE_MS)) return;
  process.kill(record.server.pid, 'SIGKILL');
  await diesWithin(record.server, STOP_GRACE_MS);
}

/** Records which server, started by this process, uses the directory. */
export function writeOwner(dir: string, serverPid: number): void {
  const server = identifyProcess(serverPid);
  const starter = identifyProcess(process.pid);
  if (server === undefined || starter === undefined) return; // the server is dead already; its start fails elsewhere
  writeFileSync(ownerFile(dir), JSON.stringify({ server, starter } satisfies OwnerRecord), { mode: 0o600 });
}

/** Forgets the server of the directory, once it has stopped. */
export function removeOwner(dir: string): void {
  rmSync(ownerFile(dir), { force: true });
}

/** Beside the directory, not in it: initdb wants an empty one. */
function ownerFile(dir: string): string {
  return `${dir}.owner.json`;
}

function readOwner(dir: string): OwnerRecord | undefined {
  try {
    return JSON.parse(readFileSync(ownerFile(dir), 'utf8')) as OwnerRecord;
  } catch {
    return undefined; // absent, or torn by a crash: there is nobody we could safely signal
  }
}

async function diesWithin(identity: ProcessIdentity, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (isAlive(identity)) {
    if (Date.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

/**
 * Starts a server that owns a directory: a leftover of an earlier starter that died is stopped first, and while the
 * server runs `<dir>.owner.json` says so.
 * @throws Error when a live program uses the directory, or as `startService` does
 */
export async function startOwnedService(dir: string, service: ServiceCommand): Promise<ServiceProcess> {
  await takeOverDirectory(dir, service.stopSignal);
  const server = await startService(service, (pid) => writeOwner(dir, pid));
  const stop = async () => {
    await server.stop();
    removeOwner(dir);
  };
  return { ...server, stop };
}
