import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DecisionPlane } from '@tollgate/decision-plane';
import type { TestRelay } from '@tollgate/decision-plane/testing';
import { Admission } from '@tollgate/logging';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { TokenVerifier } from '../src/auth.js';
import { GrpcServer, type GrpcServerOptions } from '../src/envoy/grpc/server.js';
import { Health } from '../src/envoy/health.js';
import { defaultMappings, parseMappings } from '../src/envoy/mapping.js';
import { rlsMethods, SERVICES } from '../src/envoy/methods.js';
import { RateLimitService } from '../src/envoy/rate-limit-service.js';
import { ServerMetrics } from '../src/metrics/metrics.js';
import { RlsClient } from './rls-client.js';
import { PEPPERS, RunningServer } from './running-server.js';

type PolicyContent = Parameters<TestRelay['publish']>[0];

export interface ServedRlsOptions {
  /** Content of the mapping file; undefined: the default mapping. */
  mapping?: object | undefined;
  /** Left out: the plane's. */
  health?: Health;
  http2?: GrpcServerOptions;
  /** Left out: on. */
  reflection?: boolean;
  /** Undefined: no call is shed. */
  admission?: Admission;
}

/** The gRPC server over a plane, on a free port. */
export class ServedRls {
  readonly client: RlsClient;

  private constructor(
    readonly server: GrpcServer,
    readonly address: string,
    token: string,
  ) {
    this.client = new RlsClient(address, token);
  }

  static async start(
    plane: DecisionPlane,
    token: string,
    options: ServedRlsOptions = {},
  ): Promise<ServedRls> {
    const { mapping, health, http2, admission = new Admission(Number.POSITIVE_INFINITY) } = options;
    const mappings = mapping === undefined ? defaultMappings() : parseMappings(JSON.stringify(mapping));
    const verifier = new TokenVerifier(PEPPERS, (publicId) => plane.serviceToken(publicId));
    const metrics = new ServerMetrics();
    const service = new RateLimitService({ plane, mappings });
    const methods = rlsMethods({
      plane,
      verifier,
      service,
      health: health ?? new Health(SERVICES, () => plane.ready),
      admission,
      metrics,
      ...(options.reflection === undefined ? {} : { reflection: options.reflection }),
    });
    const server = new GrpcServer(methods, pino({ level: 'silent' }), metrics, http2);
    server.http2.server.listen(0, '127.0.0.1');
    await once(server.http2.server, 'listening');
    const { port } = server.http2.server.address() as AddressInfo;
    return new ServedRls(server, `127.0.0.1:${port}`, token);
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.server.close(1000);
  }
}

/** The gRPC server with a node, Redis, relay and client; one for all tests of a file. */
export class RunningRls {
  readonly running = new RunningServer();
  private served!: ServedRls;

  get client(): RlsClient {
    return this.served.client;
  }

  get address(): string {
    return this.served.address;
  }

  async start(content: (relay: TestRelay) => PolicyContent, mapping?: object): Promise<void> {
    await this.running.start(content);
    this.served = await ServedRls.start(this.running.plane, this.running.token.token, { mapping });
  }

  async stop(): Promise<void> {
    await this.served?.stop();
    await this.running.stop();
  }
}

/** Registers a running gRPC server for the tests of a file. */
export function useRunningRls(content: (relay: TestRelay) => PolicyContent, mapping?: object): RunningRls {
  const rls = new RunningRls();
  beforeAll(() => rls.start(content, mapping));
  afterAll(() => rls.stop());
  return rls;
}
