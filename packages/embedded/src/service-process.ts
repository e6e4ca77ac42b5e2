import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { requireOnPath } from './path-lookup.js';

/** All its processes belong to `pid`'s process group. */
export interface ServiceProcess {
  pid: number;
  logFile: string;
  exited: Promise<void>;
  /** Kills it when it does not stop in time. Idempotent. */
  stop(): Promise<void>;
  /** SIGKILL for a crash, SIGSTOP and SIGCONT for a freeze. */
  kill(signal: NodeJS.Signals): void;
}

export interface ServiceCommand {
  name: string;
  command: string;
  args: string[];
  logFile: string;
  /** Polled every few milliseconds. @param log output so far */
  isReady(log: string): boolean | Promise<boolean>;
  stopSignal: NodeJS.Signals;
  /** `pipe`: the child exits when the pipe closes. */
  stdin?: 'ignore' | 'pipe';
  uid?: number;
  gid?: number;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

const START_LIMIT_MS = 120_000;
const STOP_GRACE_MS = 10_000;

/**
 * Starts a server and waits until it is ready. It has its own process group, so that Ctrl-C does not reach it before
 * its clients have stopped. On Linux the kernel sends it `stopSignal` when the starter dies; elsewhere
 * `takeOverDirectory` of the next start finds it.
 * @param onSpawned called before it is ready, to record it for the clean-up
 * @throws Error with the end of the log when it exits or is not ready in two minutes, or its program is absent
 */
export async function startService(
  service: ServiceCommand,
  onSpawned: (pid: number) => void,
): Promise<ServiceProcess> {
  requireOnPath(service.command);
  const log = openSync(service.logFile, 'w', 0o600);
  const [command, args] = withDeathSignal(service);
  const child = spawn(command, args, {
    stdio: [service.stdin ?? 'ignore', log, log],
    detached: true,
    env: service.env ?? process.env,
    ...(service.cwd === undefined ? {} : { cwd: service.cwd }),
    ...(service.uid === undefined ? {} : { uid: service.uid, gid: service.gid }),
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const { pid } = child;
  if (pid === undefined) {
    await exited;
    throw new Error(`${service.name} could not be started: ${service.command} cannot be run`);
  }
  child.unref();
  onSpawned(pid);
  try {
    await waitUntilReady(service, child);
  } catch (error) {
    child.ref(); // with nothing else to do the starter would end here, and say nothing
    killGroup(pid);
    await exited;
    throw error;
  }
  return {
    pid,
    logFile: service.logFile,
    exited,
    kill: (signal) => void child.kill(signal),
    stop: () => stopChild(child, pid, exited, service.stopSignal),
  };
}

/** On Linux, the kernel sends `stopSignal` when the starter dies. The process id stays the same. */
function withDeathSignal(service: ServiceCommand): [string, string[]] {
  const prefix = ['--pdeathsig', service.stopSignal.replace('SIG', ''), '--'];
  if (spawnSync('setpriv', [...prefix, 'true']).status !== 0) return [service.command, service.args];
  // `unshare` must come first: the last program before the server sets the signal.
  if (service.command !== 'unshare') return ['setpriv', [...prefix, service.command, ...service.args]];
  const separator = service.args.indexOf('--');
  const options = service.args.slice(0, separator + 1);
  return ['unshare', [...options, 'setpriv', ...prefix, ...service.args.slice(separator + 1)]];
}

async function waitUntilReady(service: ServiceCommand, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    const isReady = await service.isReady(readFileSync(service.logFile, 'utf8'));
    // Checked first: another program may answer on the port.
    if (hasExited(child)) throw new Error(`${service.name} ended at start: ${logEnd(service)}`);
    if (isReady) return;
    if (Date.now() > deadline) {
      throw new Error(`${service.name} was not ready after ${START_LIMIT_MS} ms: ${logEnd(service)}`);
    }
    await delay(10);
  }
}

function logEnd({ logFile }: ServiceCommand): string {
  return readFileSync(logFile, 'utf8').slice(-2_000);
}

async function stopChild(
  child: ChildProcess,
  pid: number,
  exited: Promise<void>,
  signal: NodeJS.Signals,
): Promise<void> {
  if (hasExited(child)) return;
  child.ref();
  child.kill(signal);
  child.kill('SIGCONT'); // a frozen process takes no other signal
  const giveUp = setTimeout(() => killGroup(pid), STOP_GRACE_MS);
  await exited;
  clearTimeout(giveUp);
  killGroup(pid); // children that it left behind
}

/** A group keeps its number while it has a member. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // no member is left
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
