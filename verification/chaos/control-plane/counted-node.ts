import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NodeSetup } from './counted-node-main.ts';

const NODE = fileURLToPath(new URL('./counted-node-main.ts', import.meta.url));
const WORKER = fileURLToPath(new URL('../../../apps/control-plane/dist/worker.js', import.meta.url));
const SAMPLE_EVERY_MS = 20;

/** Counts of a node process. */
export interface NodeCount {
  operation: string;
  /** Decisions that may have been made. */
  begun: number;
  /** Decisions that were made and answered. */
  answered: number;
  wasKilled: boolean;
  /** Decisions of its last second and of one write, which a kill may lose. */
  atRisk: number;
}

/** A node in a separate process, whose count survives it. */
export class CountedNode {
  private readonly history: { atMs: number; answered: number }[] = [];
  private readonly timer: NodeJS.Timeout;
  private readonly setup: NodeSetup;
  private readonly child: ChildProcess;

  private constructor(setup: NodeSetup, child: ChildProcess) {
    this.setup = setup;
    this.child = child;
    this.timer = setInterval(() => {
      this.history.push({ atMs: performance.now(), answered: this.read().answered });
      if (this.history.length > 500) this.history.shift();
    }, SAMPLE_EVERY_MS);
  }

  static start(folder: string, setup: Omit<NodeSetup, 'file'>): CountedNode {
    const whole = { ...setup, file: path.join(folder, setup.operation) };
    const child = spawn(process.execPath, ['--no-warnings', NODE, JSON.stringify(whole)], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.stdin?.on('error', () => undefined);
    return new CountedNode(whole, child);
  }

  get answered(): number {
    return this.read().answered;
  }

  /** @param riskMs traffic that a node may lose when it is killed */
  async kill(riskMs: number): Promise<NodeCount> {
    const killedMs = performance.now();
    await end(this.child, 'SIGKILL');
    return this.count(true, killedMs - riskMs);
  }

  async close(): Promise<NodeCount> {
    if (isRunning(this.child)) {
      const exited = once(this.child, 'exit');
      this.child.stdin?.end();
      await exited;
    }
    return this.count(false, performance.now());
  }

  private count(wasKilled: boolean, safeMs: number): NodeCount {
    clearInterval(this.timer);
    const { begun, answered } = this.read();
    const safe = this.history.findLast(({ atMs }) => atMs <= safeMs)?.answered ?? 0;
    return { operation: this.setup.operation, begun, answered, wasKilled, atRisk: answered - safe };
  }

  private read(): { begun: number; answered: number } {
    const [begun = 0, answered = 0] = readCount(this.setup.file);
    return { begun, answered };
  }
}

/** Starts the built worker, which runs the real jobs. */
export function startWorker(env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['--no-warnings', WORKER], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function readCount(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}
