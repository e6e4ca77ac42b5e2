import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceCommand, type ServiceProcess, startService } from './service-process.js';

/** Process ids are reused: the start time makes them unique. */
export interface ProcessIdentity {
  pid: number;
  /** Compared for equality only. */
  startedAt: string;
}

/** Undefined: no live process has this id. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined;
  return process.platform === 'linux' ? readProcStat(pid) : askPs(pid);
}

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
  // The command in parentheses may contain spaces; state is field 3, start time field 22.
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
  server: ProcessIdentity;
  /** Started the server and is expected to stop it. */
  starter: ProcessIdentity;
}

const STOP_GRACE_MS = 15_000;

/**
 * Stops a server left behind by a dead starter with `stopSignal`, then SIGKILL. Signals only processes of the owner
 * file with the same start time.
 * @throws Error when the starter is alive: two programs would use one directory
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

export function writeOwner(dir: string, serverPid: number): void {
  const server = identifyProcess(serverPid);
  const starter = identifyProcess(process.pid);
  if (server === undefined || starter === undefined) return; // the server is dead already; its start fails elsewhere
  writeFileSync(ownerFile(dir), JSON.stringify({ server, starter } satisfies OwnerRecord), { mode: 0o600 });
}

export function removeOwner(dir: string): void {
  rmSync(ownerFile(dir), { force: true });
}

/** Not in the directory: initdb requires an empty one. */
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
 * Starts a server that owns a directory; `<dir>.owner.json` records it while it runs.
 * @throws Error when a live program uses the directory, or as `startService`
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
