import { FrameFuzzer } from '@tollgate/http2/testing';
import { describe, expect, inject, it } from 'vitest';
import { RlsFuzzer } from '../fuzz/rls-fuzzer.ts';
import { frameOf } from '../src/envoy/grpc/protocol.js';
import { methodOf } from './rls-client.js';
import { descriptor, rlsPolicy } from './rls-policy.js';
import { useRunningRls } from './running-rls.js';

const SEED = inject('testSeed');

/** `pnpm fuzz:grpc` sends many more. */
const CALLS = 3000;
const CONVERSATIONS = 1000;

describe('damaged calls', () => {
  const rls = useRunningRls(rlsPolicy);
  const fine = { domain: 'links', descriptors: [descriptor({ tenant: 'acme', operation: 'free' })] };

  it(`${CALLS} damaged calls each end with an explaining status, and the server continues`, async () => {
    const { endings, unexplained } = await new RlsFuzzer(rls.address, rls.running.token.token, SEED).run(
      CALLS,
    );
    expect(unexplained, JSON.stringify([...endings])).toEqual([]);
    expect(endings.get('0') ?? 0).toBeGreaterThan(100);
    expect(endings.get('3') ?? 0).toBeGreaterThan(100);
    expect(endings.get('watched') ?? 0).toBeGreaterThan(10);
    expect(await rls.client.ask(fine)).toMatchObject({ overall_code: 'OK' });
  });

  it(`${CONVERSATIONS} damaged conversations are each ended or go on, and a sound client is answered throughout`, async () => {
    const { path, requestSerialize } = methodOf(
      'envoy.service.ratelimit.v3.RateLimitService',
      'ShouldRateLimit',
    );
    const call = { path, token: rls.running.token.token, message: frameOf(requestSerialize(fine)) };
    const port = Number(rls.address.split(':')[1]);
    const { endings, unexplained, beside } = await new FrameFuzzer(port, call, SEED).run(CONVERSATIONS);
    expect(unexplained, JSON.stringify([...endings])).toEqual([]);
    expect(endings.get('continues') ?? 0).toBeGreaterThan(100);
    expect(endings.get('PROTOCOL_ERROR') ?? 0).toBeGreaterThan(100);
    expect(beside).toBeGreaterThan(0);
    expect(await rls.client.ask(fine)).toMatchObject({ overall_code: 'OK' });
  });
});
