// A server under comparison, in a separate process: `node grpc-servers.ts <kind> [<Redis> <token>]`. With a
// Redis, it joins the existing ones.
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { loadPackageDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { LimitPolicy } from '@tollgate/contracts';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { DecisionPlane } from '@tollgate/decision-plane';
import { TestRelay } from '@tollgate/decision-plane/testing';
import { Admission } from '@tollgate/logging';
import { createTestRedis } from '@tollgate/test-kit';
import { pino } from 'pino';
import { TokenVerifier } from '../../../apps/decision-api/src/auth.js';
import { frameOf } from '../../../apps/decision-api/src/envoy/grpc/protocol.js';
import { GrpcServer } from '../../../apps/decision-api/src/envoy/grpc/server.js';
import { Health } from '../../../apps/decision-api/src/envoy/health.js';
import { defaultMappings } from '../../../apps/decision-api/src/envoy/mapping.js';
import { rlsMethods, SERVICES } from '../../../apps/decision-api/src/envoy/methods.js';
import { RateLimitService } from '../../../apps/decision-api/src/envoy/rate-limit-service.js';
import { DEFAULT_RLS_MAX_IN_FLIGHT } from '../../../apps/decision-api/src/http/admission.js';
import { ServerMetrics } from '../../../apps/decision-api/src/metrics/metrics.js';
import { PROTO_DIR, RLS_PATH, TENANTS } from './grpc-load-messages.ts';

const PEPPER = 'a pepper of a bench, of 32 characters';

/** Ports of a server and the state that further servers of its kind need. */
export interface Started {
  readonly port: number;
  /** The token that it wants. */
  readonly token: string;
  /** Undefined: uses no Redis. */
  readonly redisUrl?: string;
}

/** Each starts to listen on a free port. */
const SERVERS: Record<string, () => Promise<Started>> = {
  'node:http2, empty': startBareHttp2,
  'grpc-js, empty': startGrpcJs,
  tollgate: () => startTollgate({}),
  'tollgate, leased': () => startTollgate({ consistency: { mode: 'leased', leaseMs: 1000 } }),
};

async function startBareHttp2() {
  const server = createServer({ settings: { maxConcurrentStreams: 1000 } });
  const answer = frameOf(Buffer.from([8, 1]));
  server.on('stream', (stream) => {
    stream.on('data', () => undefined);
    stream.once('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, token: 'none' };
}

async function startGrpcJs() {
  const definition = loadSync('envoy/service/ratelimit/v3/rls.proto', { includeDirs: [PROTO_DIR] });
  loadPackageDefinition(definition);
  const service = definition['envoy.service.ratelimit.v3.RateLimitService'];
  const server = new Server({ 'grpc.max_concurrent_streams': 1000 });
  server.addService(service as Parameters<Server['addService']>[0], {
    ShouldRateLimit: (_: unknown, answer: (error: null, response: object) => void) =>
      answer(null, { overallCode: 1 }),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { port, token: 'none' };
}

/** Publishes a policy of one limit with the given terms to a new Redis. */
async function publishPolicy(terms: object) {
  const redis = await createTestRedis();
  const relay = new TestRelay(redis.url);
  const issued = issueToken('tga', 'live');
  const limit = {
    name: 'hourly',
    api: 'bench',
    operations: [],
    per: ['user'],
    onUnavailable: 'share',
    algorithm: 'fixed_window',
    limit: 1_000_000_000,
    windowMs: 3_600_000,
    alignment: 'clock',
    ...terms,
  } as LimitPolicy;
  await relay.publish({
    apis: [{ key: 'bench', unknownOperations: 'allow', operations: [{ name: 'call', cost: 1 }] }],
    limits: [limit],
    tenants: Array.from({ length: TENANTS }, (_, i) => relay.tenant(`t${i}`)),
    serviceTokens: [
      {
        publicId: issued.publicId,
        hash: hashToken(issued.token, PEPPER),
        scopes: ['decide'],
        expiresAtMs: null,
      },
    ],
  });
  return { redis, relay, redisUrl: redis.url, token: issued.token };
}

async function startTollgate(terms: object): Promise<Started> {
  const [redisUrl, token] = process.argv.slice(3);
  const first = redisUrl === undefined || token === undefined ? await publishPolicy(terms) : undefined;
  const known = first ?? { redisUrl: redisUrl as string, token: token as string };
  const plane = await DecisionPlane.start({
    countersUrl: known.redisUrl,
    configUrl: known.redisUrl,
    policyKeys: 'unsigned',
    nodeId: `bench-${process.pid}`,
    version: 'bench',
    deadlineMs: 1000,
  });
  const metrics = new ServerMetrics();
  const verifier = new TokenVerifier(new Map([[1, PEPPER]]), (publicId) => plane.serviceToken(publicId));
  const service = new RateLimitService({ plane, mappings: defaultMappings() });
  const methods = rlsMethods({
    plane,
    verifier,
    service,
    health: new Health(SERVICES, () => plane.ready),
    admission: new Admission(DEFAULT_RLS_MAX_IN_FLIGHT),
    metrics,
  });
  if (!methods.has(RLS_PATH)) throw new Error(`no ${RLS_PATH}`);
  const server = new GrpcServer(methods, pino({ level: 'silent' }), metrics);
  server.http2.server.listen(0, '127.0.0.1');
  await once(server.http2.server, 'listening');
  process.once('disconnect', () => {
    first?.relay.close();
    void plane.close().then(() => first?.redis.stop());
  });
  return { ...known, port: (server.http2.server.address() as AddressInfo).port };
}

const start = SERVERS[process.argv[2] ?? ''];
if (start === undefined)
  throw new Error(`no server ${process.argv[2]}; there are ${Object.keys(SERVERS).join(', ')}`);
const started = await start();
// Sent before and after a round: reports the CPU time of the server.
process.on('message', () => {
  // Available only with --expose-gc.
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system });
});
process.once('disconnect', () => setTimeout(() => process.exit(), 2000).unref());
const { port, token, redisUrl } = started;
process.send?.({ port, token, redisUrl });
