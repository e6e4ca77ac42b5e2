import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DecisionPlane } from '@tollgate/decision-plane';
import type { TestRelay } from '@tollgate/decision-plane/testing';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { TokenVerifier } from '../src/auth.js';
import { GrpcServer, type GrpcServerOptions } from '../src/envoy/grpc/server.js';
import { Health } from '../src/envoy/health.js';
import { defaultMappings, parseMappings } from '../src/envoy/mapping.js';
import { rlsMethods, SERVICES } from '../src/envoy/methods.js';
import { RateLimitService } from '../src/envoy/rate-limit-service.js';
import { Admission } from '../src/http/admission.js';
import { DoorMetrics } from '../src/metrics/metrics.js';
import { RlsClient } from './rls-client.js';
import { PEPPERS, RunningDoor } from './running-door.js';

type PolicyContent = Parameters<TestRelay['publish']>[0];

export interface ServedRlsOptions {
  /** As it would stand in the file; left out: the defaults. */
  mapping?: object | undefined;
  /** Left out: the plane's. */
  health?: Health;
  http2?: GrpcServerOptions;
  /** Left out: on. */
  reflection?: boolean;
  /** Left out: nobody is turned away. */
  admission?: Admission;
}

/** Envoy's door over a plane, on a free port. */
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
    const metrics = new DoorMetrics();
    const service = new RateLimitService({ plane, mappings, metrics });
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
    server.listener.listen(0, '127.0.0.1');
    await once(server.listener, 'listening');
    const { port } = server.listener.address() as AddressInfo;
    return new ServedRls(server, `127.0.0.1:${port}`, token);
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.server.close(1000);
  }
}

/** Envoy's door over a node, its Redis and a relay, with a client; one for all tests of a file. */
export class RunningRls {
  readonly door = new RunningDoor();
  private served!: ServedRls;

  get client(): RlsClient {
    return this.served.client;
  }

  get address(): string {
    return this.served.address;
  }

  async start(content: (relay: TestRelay) => PolicyContent, mapping?: object): Promise<void> {
    await this.door.start(content);
    this.served = await ServedRls.start(this.door.plane, this.door.token.token, { mapping });
  }

  async stop(): Promise<void> {
    await this.served?.stop();
    await this.door.stop();
  }
}

/** Registers a running door for the tests of a file. */
export function useRunningRls(content: (relay: TestRelay) => PolicyContent, mapping?: object): RunningRls {
  const rls = new RunningRls();
  beforeAll(() => rls.start(content, mapping));
  afterAll(() => rls.stop());
  return rls;
}
