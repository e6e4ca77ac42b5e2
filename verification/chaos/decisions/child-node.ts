import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AmendAnswer, LimitRequest } from '@tollgate/contracts';
import type { DecisionPlaneEvent } from '../../../packages/decision-plane/src/api/options.js';
import type {
  Amending,
  AskVerb,
  Flood,
  FloodReport,
  Load,
  LoadReport,
  NodeSetup,
  Outcome,
  TestbedNode,
} from './testbed-node.ts';

const MAIN = fileURLToPath(new URL('./child-main.ts', import.meta.url));
const NODE_ARGS = [
  '--no-warnings',
  '--expose-gc',
  '--import',
  new URL('../../compiled.mjs', import.meta.url).href,
];

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
}

/** A node in its own process, which exits with this one. */
export class ChildNode implements TestbedNode {
  readonly id: string;
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private commands = 0;

  private constructor(id: string, child: ChildProcess) {
    this.id = id;
    this.child = child;
    if (child.stdout === null) throw new Error('the child process has no output');
    createInterface({ input: child.stdout }).on('line', (line) => this.answered(line));
    child.once('exit', () => {
      for (const { reject } of this.waiting.values()) reject(new Error(`node ${id} has exited`));
      this.waiting.clear();
    });
    // Writes to a child that was just killed are lost, as intended.
    child.stdin?.on('error', () => undefined);
  }

  static async start(setup: NodeSetup): Promise<ChildNode> {
    const child = spawn(process.execPath, [...NODE_ARGS, MAIN, JSON.stringify(setup)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const node = new ChildNode(setup.id, child);
    await new Promise<never>((resolve, reject) => node.waiting.set(0, { resolve, reject }));
    return node;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  ask(requests: readonly LimitRequest[], verb: AskVerb = 'limit'): Promise<Outcome[]> {
    return this.send('ask', requests, verb);
  }

  load(load: Load): Promise<LoadReport> {
    return this.send('load', load);
  }

  flood(flood: Flood): Promise<FloodReport> {
    return this.send('flood', flood);
  }

  amend(amendments: readonly Amending[]): Promise<AmendAnswer[]> {
    return this.send('amend', amendments);
  }

  liveNodes(): Promise<number> {
    return this.send('liveNodes');
  }

  events(): Promise<DecisionPlaneEvent['kind'][]> {
    return this.send('events');
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    await this.send('close').catch(() => undefined);
    this.child.stdin?.end();
    await exited;
  }

  private send<T>(verb: string, ...args: unknown[]): Promise<T> {
    const id = ++this.commands;
    return new Promise<T>((resolve, reject) => {
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        reject(new Error(`node ${this.id} has exited`));
        return;
      }
      this.waiting.set(id, { resolve, reject });
      this.child.stdin?.write(`${JSON.stringify({ id, verb, args })}\n`);
    });
  }

  private answered(line: string): void {
    const { id, value, error } = JSON.parse(line) as { id: number; value: never; error?: string };
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}
