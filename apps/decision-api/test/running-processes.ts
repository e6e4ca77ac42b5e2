import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { issueToken } from '@tollgate/contracts/service-token';
import { TestRelay } from '@tollgate/decision-plane/testing';
import { createTestRedis, eventually, type LogLine, ProgramProcess } from '@tollgate/test-kit';
import { PEPPERS, tokenRecord } from './running-server.js';

interface NodeLine extends LogLine {
  node: string;
  pid: number;
  port?: number;
}

/** The built program with a Redis and a policy. */
export class RunningProcesses {
  readonly token = issueToken('tga', 'live');
  redis!: Awaited<ReturnType<typeof createTestRedis>>;
  relay!: TestRelay;
  origin!: string;
  process!: ProgramProcess;
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
    this.process = new ProgramProcess('decision-api/dist/main.js', {
      PORT: '0',
      REDIS_COUNTERS_URL: this.redis.url,
      REDIS_CONFIG_URL: this.redis.url,
      TOKEN_PEPPER: PEPPERS.get(1) as string,
      ALLOW_INSECURE: 'unsigned-policy',
      DATA_DIR: this.home,
      // A test machine may stall for longer than the defaults.
      DECISION_DEADLINE_MS: '5000',
      MAX_EVENT_LOOP_LAG_MS: '10000',
      ...env,
    });
    await this.process.line('decision API listening');
    this.origin = `http://127.0.0.1:${this.portOf('decision API listening')}`;
    await eventually(async () => (await fetch(`${this.origin}/readyz`)).ok);
  }

  get log(): readonly NodeLine[] {
    return this.process.lines as NodeLine[];
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

  async stop(): Promise<void> {
    this.process?.kill();
    await this.process?.exited;
    this.relay?.close();
    await this.redis?.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}
