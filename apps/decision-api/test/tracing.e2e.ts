import { type OtlpReceiver, startOtlpReceiver } from '@tollgate/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RlsClient } from './rls-client.js';
import { descriptor } from './rls-policy.js';
import { RunningProcesses } from './running-processes.js';

const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const SAMPLED = '1'.repeat(32);
const CALL = '4'.repeat(32);
const UNSAMPLED = '2'.repeat(32);
const PARENT = '3'.repeat(16);

const program = new RunningProcesses();
let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  await program.start((relay) => ({ tenants: [relay.tenant('acme')] }), {
    ...receiver.env,
    DRAIN_NOTICE_MS: '0',
    OTEL_SERVICE_NAME: 'edge',
    RLS_PORT: '0',
  });
});
afterAll(async () => {
  await program.stop();
  await receiver.stop();
});

it('exports spans of sampled requests and calls only, with their decisions', async () => {
  for (const traceparent of [
    `00-${UNSAMPLED}-${PARENT}-00`,
    `00-${SAMPLED}-${PARENT}-01`,
    'invalid',
    undefined,
  ]) {
    const response = await program.ask('/v1/limit', create, traceparent === undefined ? {} : { traceparent });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  }
  const client = new RlsClient(`127.0.0.1:${program.portOf('gRPC server listening')}`, program.token.token);
  for (const traceparent of [`00-${UNSAMPLED}-${PARENT}-00`, `00-${CALL}-${PARENT}-01`]) {
    const metadata = client.metadata();
    metadata.set('traceparent', traceparent);
    await client.ask(
      { domain: create.api, descriptors: [descriptor({ tenant: 'acme', operation: 'createURL' })] },
      metadata,
    );
  }
  client.close();
  // The last spans are exported on shutdown.
  await program.process.stop();
  const method = 'envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
  expect(receiver.spans.filter(({ traceId }) => traceId === CALL)).toEqual([
    expect.objectContaining({
      name: method,
      parentSpanId: PARENT,
      attributes: expect.objectContaining({ 'rpc.method': 'ShouldRateLimit', 'rpc.grpc.status_code': 0 }),
      events: [expect.objectContaining({ name: 'decision' })],
    }),
  ]);
  expect(receiver.spans.filter(({ traceId }) => traceId !== CALL)).toEqual([
    {
      service: 'edge',
      name: 'POST /v1/limit',
      traceId: SAMPLED,
      spanId: expect.any(String),
      parentSpanId: PARENT,
      attributes: expect.objectContaining({ 'http.route': '/v1/limit', 'http.response.status_code': 200 }),
      events: [
        {
          name: 'decision',
          attributes: expect.objectContaining({ 'tollgate.api': 'url-shortener', 'tollgate.success': true }),
        },
      ],
    },
  ]);
});
