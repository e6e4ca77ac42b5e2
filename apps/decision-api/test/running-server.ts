import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashToken, type IssuedToken, issueToken } from '@tollgate/contracts/service-token';
import { DecisionPlane } from '@tollgate/decision-plane';
import { TestRelay } from '@tollgate/decision-plane/testing';
import { MetricsServer } from '@tollgate/logging';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { ServerMetrics } from '../src/metrics/metrics.js';
import { createDecisionServer } from '../src/server.js';
import { metricsText } from './metrics-text.js';

const PEPPER = 'a pepper for tests, 32 characters or more';

/** Peppers of the server; the second is the newest. */
export const PEPPERS = new Map([
  [1, PEPPER],
  [2, 'a newer pepper for tests, 32 characters or more'],
]);

type PolicyContent = Parameters<TestRelay['publish']>[0];

/** The HTTP API with a node, Redis and relay; one for all tests of a file. */
export class RunningServer {
  redis!: Awaited<ReturnType<typeof createTestRedis>>;
  relay!: TestRelay;
  plane!: DecisionPlane;
  origin!: string;
  /** May decide, and nothing else. */
  readonly token = issueToken('tga', 'live');
  /** May decide and administer. */
  readonly adminToken = issueToken('tga', 'live');
  /** May decide and reset. */
  readonly resetToken = issueToken('tga', 'live');
  /** Where its metrics are. */
  metricsOrigin!: string;
  private server!: Server;
  private metricsServer!: MetricsServer;

  /** Publishes a policy together with the server's token. */
  async start(content: (relay: TestRelay) => PolicyContent): Promise<void> {
    this.redis = await createTestRedis();
    this.relay = new TestRelay(this.redis.url);
    const policy = content(this.relay);
    const serviceTokens = [
      tokenRecord(this.token, ['decide'], null),
      tokenRecord(this.resetToken, ['decide', 'reset'], null),
      tokenRecord(this.adminToken, ['decide', 'admin'], null),
      ...(policy.serviceTokens ?? []),
    ];
    const revision = await this.relay.publish({ ...policy, serviceTokens });
    this.plane = await DecisionPlane.start({
      countersUrl: this.redis.url,
      configUrl: this.redis.url,
      policyKeys: 'unsigned',
      nodeId: 'node-1',
      version: 'test',
      deadlineMs: 5000,
      keyPeppers: PEPPERS,
    });
    await eventually(() => this.plane.revision === revision);
    const metrics = new ServerMetrics();
    this.metricsServer = new MetricsServer(() => metricsText(metrics));
    await this.metricsServer.listen({ metricsPort: 0, metricsHost: '127.0.0.1' }, { info: () => undefined });
    const { port } = this.metricsServer.server.address() as AddressInfo;
    this.metricsOrigin = `http://127.0.0.1:${port}`;
    this.server = createDecisionServer({
      plane: this.plane,
      metrics,
      peppers: PEPPERS,
      logger: pino({ level: 'silent' }),
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @param body sent as it is when it is text or bytes, else as JSON */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const authorization = { Authorization: `Bearer ${this.token.token}`, 'Content-Type': 'application/json' };
    return fetch(this.origin + path, {
      method: 'POST',
      headers: { ...authorization, ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  }

  async metricsText(): Promise<string> {
    return (await fetch(`${this.metricsOrigin}/metrics`)).text();
  }

  async stop(): Promise<void> {
    this.metricsServer?.close();
    this.server?.closeAllConnections();
    this.server?.close();
    await this.plane?.close();
    this.relay?.close();
    await this.redis?.stop();
  }
}

/** A token as nodes know it. */
export function tokenRecord(issued: IssuedToken, scopes: string[], expiresAtMs: number | null) {
  return { publicId: issued.publicId, hash: hashToken(issued.token, PEPPER), scopes, expiresAtMs };
}

/** Registers a running HTTP API for the tests of a file. */
export function useRunningServer(content: (relay: TestRelay) => PolicyContent): RunningServer {
  const running = new RunningServer();
  beforeAll(() => running.start(content));
  afterAll(() => running.stop());
  return running;
}
