import { type OtlpReceiver, startOtlpReceiver } from '@tollgate/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunningProcesses } from './running-processes.js';

const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const SAMPLED = '1'.repeat(32);
const UNSAMPLED = '2'.repeat(32);
const PARENT = '3'.repeat(16);

const program = new RunningProcesses();
let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  await program.start((relay) => ({ tenants: [relay.tenant('acme')] }), {
    ...receiver.env,
    DRAIN_NOTICE_MS: '0',
    // A busy machine must not shed.
    MAX_EVENT_LOOP_LAG_MS: '10000',
    OTEL_SERVICE_NAME: 'edge',
  });
});
afterAll(async () => {
  await program.stop();
  await receiver.stop();
});

it('exports spans of sampled requests only, with their decisions', async () => {
  for (const traceparent of [
    `00-${UNSAMPLED}-${PARENT}-00`,
    `00-${SAMPLED}-${PARENT}-01`,
    'invalid',
    undefined,
  ]) {
    const response = await program.ask('/v1/limit', create, traceparent === undefined ? {} : { traceparent });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  }
  // The last spans are exported on shutdown.
  await program.end();
  expect(receiver.spans).toEqual([
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
