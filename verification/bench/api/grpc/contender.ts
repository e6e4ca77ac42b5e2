import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { frameOf } from '../../../../apps/decision-api/src/envoy/grpc/protocol.js';
import { loadRequest, RLS_PATH, rlsType } from '../grpc-load-messages.ts';
import type { Started } from '../grpc-servers.ts';
import type { Load, LoadOrder, LoadReport } from '../h2-load.ts';

/** Connections over which calls are made, to all processes of a contender together. */
export const CONNECTIONS = 8;

const BENCH = join(import.meta.dirname, '..');

export interface Measured extends LoadReport {
  readonly perSecond: number;
  /** Of the server's processes, for each answer. */
  readonly cpuUs: number;
  readonly failedPerSecond: number;
}

/** The next message of a process. @throws Error if it ends instead */
async function told<T>(child: ChildProcess, send?: object): Promise<T> {
  const settled = new AbortController();
  const { signal } = settled;
  const answer = once(child, 'message', { signal });
  const exit = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`a process of the benchmark ended with exit code ${code}`);
  });
  if (send !== undefined) child.send(send);
  try {
    return (await Promise.race([answer, exit]))[0] as T;
  } finally {
    settled.abort();
    // Otherwise, the promise that is still pending would reject unhandled.
    await Promise.allSettled([answer, exit]);
  }
}

/** The load generator, in a separate process. */
export class Generator {
  private readonly process = fork(join(BENCH, 'h2-load.ts'));
  private readonly messages: readonly string[];

  /** @param requestOf the request that the nth connection repeats */
  constructor(requestOf: (n: number) => object = loadRequest) {
    const type = rlsType('RateLimitRequest');
    this.messages = Array.from({ length: CONNECTIONS }, (_, i) =>
      frameOf(type.encode(type.fromObject(requestOf(i))).finish()).toString('base64'),
    );
  }

  async run(ports: readonly number[], token: string, load: Load, ms: number): Promise<LoadReport> {
    const { messages } = this;
    const order: LoadOrder = { ports, path: RLS_PATH, token, messages, ms, load };
    return await told<LoadReport>(this.process, order);
  }

  stop(): void {
    this.process.disconnect();
  }
}

/** A server under comparison, in one or more processes that share a Redis. */
export class Contender {
  readonly kind: string;
  private readonly processes: readonly ChildProcess[];
  private readonly started: readonly Started[];

  private constructor(kind: string, processes: readonly ChildProcess[], started: readonly Started[]) {
    this.kind = kind;
    this.processes = processes;
    this.started = started;
  }

  static async start(kind: string, processes = 1): Promise<Contender> {
    const children: ChildProcess[] = [];
    const started: Started[] = [];
    for (let i = 0; i < processes; i++) {
      const [first] = started;
      const known = first?.redisUrl === undefined ? [] : [first.redisUrl, first.token];
      const child = fork(join(BENCH, 'grpc-servers.ts'), [kind, ...known]);
      children.push(child);
      started.push(await told<Started>(child));
    }
    return new Contender(kind, children, started);
  }

  /** @throws Error when calls were shed, unless allowed */
  async measure(generator: Generator, load: Load, ms: number, mayFail: boolean): Promise<Measured> {
    const ports = this.started.map(({ port }) => port);
    const beforeUs = await this.cpuUs();
    const report = await generator.run(ports, this.started[0]?.token ?? '', load, ms);
    const cpuUs = (await this.cpuUs()) - beforeUs;
    if (report.failures > 0 && !mayFail) {
      throw new Error(`${this.kind}: ${report.failures} calls without an answer`);
    }
    return {
      ...report,
      perSecond: report.answers / report.seconds,
      failedPerSecond: report.failures / report.seconds,
      cpuUs: cpuUs / report.answers,
    };
  }

  stop(): void {
    for (const child of this.processes) child.disconnect();
  }

  private async cpuUs(): Promise<number> {
    const all = await Promise.all(this.processes.map((child) => told<{ cpuUs: number }>(child, {})));
    return all.reduce((sum, { cpuUs }) => sum + cpuUs, 0);
  }
}
