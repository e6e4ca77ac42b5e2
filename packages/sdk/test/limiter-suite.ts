import { expect, it } from 'vitest';
import type { Limiter } from '../src/client/decision.js';
import { TollgateFault } from '../src/index.js';

let people = 0;

/** Tests of every limiter of the SDK. @param limiter returns the started limiter */
export function describeLimiter(limiter: () => Limiter): void {
  const by = (operation: string, user = `user-${++people}`) => ({
    tenant: 'acme',
    api: 'shop',
    operation,
    subject: { user },
  });

  it('limit charges up to the limit, then denies with a retry time and charges nothing more', async () => {
    const request = by('checkout');
    const decisions = [];
    for (let i = 0; i < 6; i++) decisions.push(await limiter().limit(request));
    expect(decisions.map(({ success, remaining }) => [success, remaining])).toEqual([
      [true, 4],
      [true, 3],
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
    const refused = decisions[5];
    expect(refused).toMatchObject({
      reason: 'RATE_EXCEEDED',
      policy: 'checkout-hour',
      limit: 5,
      unavailable: null,
    });
    expect(refused?.retryAfter).toBeGreaterThan(3000);
  });

  it('decides concurrent requests independently and exactly', async () => {
    const request = by('checkout');
    const decisions = await Promise.all(Array.from({ length: 40 }, () => limiter().limit(request)));
    expect(decisions.filter(({ success }) => success)).toHaveLength(5);
    const free = await Promise.all(Array.from({ length: 40 }, () => limiter().limit(by('checkout'))));
    expect(free.every(({ remaining }) => remaining === 4)).toBe(true);
  });

  it('an invalid request among concurrent ones does not affect the others', async () => {
    const asked = Array.from({ length: 20 }, (_, i) =>
      limiter().limit(i === 13 ? { ...by('checkout'), tenant: 'nobody' } : by('checkout')),
    );
    const settled = await Promise.allSettled(asked);
    expect(settled.map(({ status }) => status).indexOf('rejected')).toBe(13);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(19);
  });

  it('charges a cost as a whole, and returns retryAfter null if it can never be allowed', async () => {
    const request = { ...by('checkout'), cost: 4 };
    expect(await limiter().limit(request)).toMatchObject({ success: true, remaining: 1, cost: 4 });
    expect(await limiter().limit(request)).toMatchObject({ success: false, remaining: 1 });
    expect(await limiter().limit({ ...request, cost: 6 })).toMatchObject({
      success: false,
      retryAfter: null,
    });
  });

  it('peek charges nothing', async () => {
    const request = by('checkout');
    for (let i = 0; i < 3; i++)
      expect(await limiter().peek(request)).toMatchObject({ success: true, remaining: 5 });
  });

  it('limitMany answers in order, with a problem in place of an invalid request', async () => {
    const request = by('checkout');
    const answers = await limiter().limitMany([request, { ...request, tenant: 'nobody' }, request]);
    expect(answers.map((answer) => answer.success)).toEqual([true, null, true]);
    const [first, wrong, last] = answers;
    expect(wrong?.success === null && wrong.problem.code).toBe('tenant-unknown');
    expect([first, last].map((answer) => answer?.success && answer.remaining)).toEqual([4, 3]);
    expect(await limiter().limitMany([])).toEqual([]);
  });

  it('a request id is charged once, and refunded once', async () => {
    const request = { ...by('checkout'), requestId: `order-${++people}` };
    await limiter().limit(request);
    expect(await limiter().limit(request)).toMatchObject({ success: true, remaining: 4 });
    const receipt = { tenant: 'acme', requestId: request.requestId };
    expect(await limiter().refund(receipt)).toEqual({ status: 'applied', returned: 1 });
    expect((await limiter().refund(receipt)).status).toBe('done');
    expect((await limiter().refund({ tenant: 'acme', requestId: 'never-charged' })).status).toBe('not_found');
  });

  it('refunds units of a described operation', async () => {
    const request = { ...by('checkout'), cost: 3 };
    await limiter().limit(request);
    expect(await limiter().refund({ ...request, cost: 2 })).toMatchObject({ status: 'applied', returned: 2 });
    expect(await limiter().peek(by('checkout', request.subject.user))).toMatchObject({ remaining: 4 });
  });

  it('settles a reservation with the actual cost, once', async () => {
    const request = { ...by('checkout'), cost: 4 };
    const held = await limiter().reserve(request);
    if (!held.success) throw new Error('refused');
    expect(held.expiresAt).toBeGreaterThan(Date.now());
    expect(await held.settle(1)).toEqual({ status: 'applied', returned: 3 });
    expect((await held.settle(1)).status).toBe('done');
    expect(await limiter().peek(by('checkout', request.subject.user))).toMatchObject({ remaining: 4 });
  });

  it('a released reservation costs nothing; a denied one reserves nothing', async () => {
    const request = { ...by('checkout'), cost: 5 };
    const held = await limiter().reserve(request);
    expect(held.success).toBe(true);
    const second = await limiter().reserve(request);
    expect(second.success).toBe(false);
    expect('settle' in second).toBe(false);
    if (held.success) expect((await held.release()).status).toBe('applied');
    expect(await limiter().peek(request)).toMatchObject({ remaining: 5 });
  });

  it('releases the permit of a decision by its request id, once', async () => {
    const request = by('hold');
    const first = await limiter().limit(request);
    await limiter().limit(request);
    expect(await limiter().limit(request)).toMatchObject({ reason: 'CONCURRENCY_EXCEEDED' });
    const receipt = { tenant: 'acme', requestId: first.requestId };
    expect(await limiter().release(receipt)).toMatchObject({ status: 'applied', returned: 1 });
    expect((await limiter().release(receipt)).status).toBe('done');
    expect(await limiter().limit(request)).toMatchObject({ success: true, remaining: 0 });
  });

  it('a limit on failures is charged by the report', async () => {
    const user = `user-${++people}`;
    for (const outcome of ['failure', 'success', 'failure'] as const) {
      const requestId = `pay-${++people}`;
      expect((await limiter().limit({ ...by('pay', user), requestId })).success).toBe(true);
      expect((await limiter().report({ tenant: 'acme', requestId, outcome })).status).toBe('applied');
    }
    expect(await limiter().peek(by('pay', user))).toMatchObject({ success: false });
  });

  it('a queue returns the delay of each request', async () => {
    const request = by('export');
    // Together: the queue drains with time.
    const answers = await Promise.all([limiter().limit(request), limiter().limit(request)]);
    expect(answers).toMatchObject([{ success: true }, { success: true }]);
    const [first = 0, second = 0] = answers.map(({ delayMs }) => delayMs).toSorted((a, b) => a - b);
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(0);
  });

  it('allows requests that no limit covers', async () => {
    expect(await limiter().limit(by('unheard-of'))).toMatchObject({ success: true, reason: 'NO_LIMIT' });
  });

  it('throws a rejected call as a fault with a stable code under onFault: throw', async () => {
    const cases = [
      { request: { ...by('checkout'), tenant: 'nobody' }, code: 'tenant-unknown' },
      { request: { ...by('checkout'), subject: {} }, code: 'dimension-missing' },
      { request: { key: 'tgk_live_invented', api: 'shop', operation: 'checkout' }, code: 'key-invalid' },
    ];
    for (const { request, code } of cases) {
      const error = await limiter()
        .limit(request)
        .catch((thrown: unknown) => thrown);
      expect(error, code).toBeInstanceOf(TollgateFault);
      expect((error as TollgateFault).code).toBe(code);
    }
  });
}
