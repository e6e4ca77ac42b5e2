import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A running server of ours. Every process it consists of belongs to `pid`'s process group. */
export interface ServiceProcess {
  pid: number;
  /** Where the server's own messages of this run are. */
  logFile: string;
  /** Resolves when the process has ended, for any reason. */
  exited: Promise<void>;
  /** Ends it in order; kills it when it does not answer. Safe to call twice. */
  stop(): Promise<void>;
  /** Sends a signal: SIGKILL for a crash, SIGSTOP and SIGCONT for a freeze. */
  kill(signal: NodeJS.Signals): void;
}

export interface ServiceCommand {
  name: string;
  command: string;
  args: string[];
  logFile: string;
  /** Whether it answers now; gets the log so far. Asked every few milliseconds until it says yes. */
  isReady(log: string): boolean | Promise<boolean>;
  stopSignal: NodeJS.Signals;
  /** `pipe` keeps a pipe to its standard input open: the child ends itself when the pipe closes. */
  stdin?: 'ignore' | 'pipe';
  uid?: number;
  gid?: number;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

const START_LIMIT_MS = 60_000;
const STOP_GRACE_MS = 10_000;

/**
 * Starts a server and waits until it is ready.
 *
 * It runs in its own process group, so that a Ctrl-C meant for the starter does not reach it before its clients have
 * stopped. On Linux the kernel sends it `stopSignal` when the starter dies in any way, SIGKILL included; elsewhere
 * `takeOverDirectory` of the next start finds it.
 * @param onSpawned called before it is ready, so that a starter killed in between leaves a record for the clean-up
 * @throws Error with the end of the log when the process ends or is not ready in a minute.
 */
export async function startService(
  service: ServiceCommand,
  onSpawned: (pid: number) => void,
): Promise<ServiceProcess> {
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

/** Wraps a command so that it keeps its process id and gets `stopSignal` when the starter dies, where that exists. */
function withDeathSignal(service: ServiceCommand): [string, string[]] {
  const prefix = ['--pdeathsig', service.stopSignal.replace('SIG', ''), '--'];
  if (spawnSync('setpriv', [...prefix, 'true']).status !== 0) return [service.command, service.args];
  // `unshare` must come first: the signal is set by the last program before the server itself.
  if (service.command !== 'unshare') return ['setpriv', [...prefix, service.command, ...service.args]];
  const separator = service.args.indexOf('--');
  const options = service.args.slice(0, separator + 1);
  return ['unshare', [...options, 'setpriv', ...prefix, ...service.args.slice(separator + 1)]];
}

async function waitUntilReady(service: ServiceCommand, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    const isReady = await service.isReady(readFileSync(service.logFile, 'utf8'));
    // First: another program may answer on the port of a process that has ended.
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

/** Ends every process of a service's group; a group keeps its number for as long as it has a member. */
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
