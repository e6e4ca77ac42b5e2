import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface LogLine {
  level: string;
  msg: string;
  [field: string]: unknown;
}

const FORBIDDEN =
  '^(@opentelemetry/(sdk|exporter|instrumentation)|@fastify/otel|@prisma/instrumentation|bullmq-otel)';

/** `NODE_OPTIONS` of a program that fails when it loads OpenTelemetry. */
export const WITHOUT_OPENTELEMETRY = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
  registerHooks({ resolve(id, context, next) {
    if (new RegExp('${FORBIDDEN}').test(id)) throw new Error('loads ' + id);
    return next(id, context);
  } });`,
)}`;

/** A built program of this repository in its own process, with its log. */
export class ProgramProcess {
  readonly lines: LogLine[] = [];
  /** Standard output and standard error. */
  output = '';
  /** Exit code and signal, after all output was read. */
  readonly exited: Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  readonly child: ChildProcess;
  private readonly waiting = new Set<() => void>();

  /** @param program path below `apps`, such as `control-plane/dist/main.js` */
  constructor(program: string, env: Record<string, string>) {
    const entry = fileURLToPath(new URL(`../../../apps/${program}`, import.meta.url));
    const child = spawn(process.execPath, ['--no-warnings', entry], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    child.stderr.on('data', (chunk) => {
      this.output += chunk;
    });
    createInterface(child.stdout).on('line', (line) => {
      this.output += `${line}\n`;
      if (line.startsWith('{')) this.lines.push(JSON.parse(line) as LogLine);
      for (const check of this.waiting) check();
    });
    this.exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  }

  /** The first line with this message. @throws Error with the output if the process exits before it */
  async line(msg: string): Promise<LogLine> {
    const { promise, resolve, reject } = Promise.withResolvers<LogLine>();
    const check = () => {
      const found = this.lines.find((line) => line.msg === msg);
      if (found !== undefined) resolve(found);
    };
    this.waiting.add(check);
    check();
    void this.exited.then(() => reject(new Error(`no line "${msg}" before the exit:\n${this.output}`)));
    return promise.finally(() => this.waiting.delete(check));
  }

  /** Sends SIGTERM unless it has exited. */
  stop(): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
    this.child.kill('SIGTERM');
    return this.exited;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}
