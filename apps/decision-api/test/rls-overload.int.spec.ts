import { status as STATUS } from '@grpc/grpc-js';
import { Admission } from '@tollgate/logging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methodOf } from './rls-client.js';
import { descriptor, rlsPolicy } from './rls-policy.js';
import { ServedRls, useRunningRls } from './running-rls.js';

const asked = { domain: 'links', descriptors: [descriptor({ tenant: 'acme', operation: 'free' })] };
const AT_ONCE = 200;

describe('more calls than are taken in', () => {
  const rls = useRunningRls(rlsPolicy);
  const admission = new Admission(10);
  let busy: ServedRls;
  let full: ServedRls;

  beforeAll(async () => {
    const { plane, token } = rls.running;
    busy = await ServedRls.start(plane, token.token, { admission });
    full = await ServedRls.start(plane, token.token, { admission: new Admission(0) });
  });
  afterAll(async () => {
    await busy?.stop();
    await full?.stop();
  });

  /** Calls by status, for a number of concurrent calls. */
  async function endings({ client }: ServedRls): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    const note = (status: number) => counts.set(status, (counts.get(status) ?? 0) + 1);
    const call = () =>
      client.ask(asked).then(
        () => note(STATUS.OK),
        (error: { code: number }) => note(error.code),
      );
    await Promise.all(Array.from({ length: AT_ONCE }, call));
    return counts;
  }

  it('are shed with UNAVAILABLE and a reason; health checks are answered', async () => {
    await expect(full.client.ask(asked)).rejects.toMatchObject({
      code: STATUS.UNAVAILABLE,
      details: 'overloaded: too many requests in flight on this node',
    });
    const health = methodOf('grpc.health.v1.Health', 'Check');
    expect(await full.client.call(health, { service: '' })).toEqual({ status: 'SERVING' });
  });

  it('are UNAVAILABLE while the event loop lags', async () => {
    const { plane, token } = rls.running;
    let lagMs = 101;
    const lag = { lagMs: () => lagMs, maxMs: 100 };
    const lagging = await ServedRls.start(plane, token.token, { admission: new Admission(10, lag) });
    try {
      await expect(lagging.client.ask(asked)).rejects.toMatchObject({ code: STATUS.UNAVAILABLE });
      lagMs = 100;
      expect(await lagging.client.ask(asked)).toMatchObject({ overall_code: 'OK' });
    } finally {
      await lagging.stop();
    }
  });

  it('each call is answered or shed, and capacity is free again afterwards', async () => {
    for (let round = 0; round < 3; round++) {
      const counts = await endings(busy);
      expect(
        [...counts.keys()].every((status) => status === STATUS.OK || status === STATUS.UNAVAILABLE),
      ).toBe(true);
      expect(counts.get(STATUS.OK)).toBeGreaterThanOrEqual(10);
      expect([...counts.values()].reduce((a, b) => a + b)).toBe(AT_ONCE);
      expect(admission.shedReason()).toBeUndefined();
    }
    for (let i = 0; i < 10; i++) expect(admission.enter()).toBeUndefined();
    expect(admission.enter()).toBe('in_flight');
  });
});
