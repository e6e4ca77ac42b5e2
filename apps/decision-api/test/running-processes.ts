import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { issueToken } from '@tollgate/contracts/service-token';
import { TestRelay } from '@tollgate/decision-plane/testing';
import { createTestRedis } from '@tollgate/test-kit';
import { vi } from 'vitest';
import { PEPPERS, tokenRecord } from './running-server.js';

const ENTRY = fileURLToPath(new URL('../dist/main.js', import.meta.url));

interface LogLine {
  node: string;
  pid: number;
  msg: string;
  port?: number;
}

/** The built program with a Redis and a policy. */
export class RunningProcesses {
  readonly token = issueToken('tga', 'live');
  readonly log: LogLine[] = [];
  redis!: Awaited<ReturnType<typeof createTestRedis>>;
  relay!: TestRelay;
  origin!: string;
  child!: ChildProcess;
  private readonly home = mkdtempSync(path.join(tmpdir(), 'tollgate-processes-'));

  async start(
    content: (relay: TestRelay) => Parameters<TestRelay['publish']>[0],
    env: Record<string, string> = {},
  ): Promise<void> {
    this.redis = await createTestRedis();
    this.relay = new TestRelay(this.redis.url);
    await this.relay.publish({
      ...content(this.relay),
      serviceTokens: [tokenRecord(this.token, ['decide'], null)],
    });
    this.child = spawn(process.execPath, [ENTRY], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        REDIS_COUNTERS_URL: this.redis.url,
        REDIS_CONFIG_URL: this.redis.url,
        TOKEN_PEPPER: PEPPERS.get(1),
        ALLOW_INSECURE: 'unsigned-policy',
        DATA_DIR: this.home,
        DECISION_DEADLINE_MS: '5000',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
      this.log.push(JSON.parse(line) as LogLine),
    );
    await vi.waitUntil(() => this.portOf('decision API listening') !== undefined, { timeout: 60_000 });
    this.origin = `http://127.0.0.1:${this.portOf('decision API listening')}`;
    await vi.waitUntil(async () => (await fetch(`${this.origin}/readyz`)).ok, { timeout: 60_000 });
  }

  /** Port in the first log line with this message. */
  portOf(message: string): number | undefined {
    return this.log.find(({ msg }) => msg === message)?.port;
  }

  /** On a new connection, so that any process may answer. */
  ask(pathname: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.origin + pathname, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Authorization: `Bearer ${this.token.token}`,
        'Content-Type': 'application/json',
        Connection: 'close',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Stops the program as an orchestrator does. */
  async end(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  async stop(): Promise<void> {
    if (this.child?.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    this.relay?.close();
    await this.redis?.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}
