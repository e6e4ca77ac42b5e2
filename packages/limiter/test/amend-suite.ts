import type { LimitPolicy } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import type { Amendment, Check, DecisionStore, ReceiptOrder } from '../src/stores/decision-store.js';
import { freshCheck as check } from './fresh-check.js';
import { compiled, fixedWindowPolicy, policyBy } from './policies.js';

let unique = 0;
const hour = { windowMs: 3_600_000, alignment: 'first_request' as const };

/** A receipt in the slot of `check`. */
function receiptFor(check: Check, expiresAfterMs = 0): ReceiptOrder {
  unique++;
  const tag = check.key.slice(0, check.key.indexOf('}') + 1);
  return { key: `${tag}:r1=${unique}`, holder: unique, fingerprint: 1, keepMs: 600_000, expiresAfterMs };
}

/** Receipts and amendments in every DecisionStore. */
export function amendSuite(store: () => DecisionStore): void {
  const decide = async (checks: readonly Check[], receipt?: ReceiptOrder) => {
    const reply = await store().charge({
      checks,
      peek: false,
      ...(receipt === undefined ? {} : { receipt }),
    });
    if (!reply.available) throw new Error(`the store is unavailable: ${reply.reason}`);
    return reply;
  };
  const amend = async (amendment: Amendment) => {
    const reply = await store().amend(amendment);
    if (!reply.available) throw new Error(`the store is unavailable: ${reply.reason}`);
    return reply;
  };
  const left = async (check: Check) => {
    const reply = await store().charge({ checks: [check], peek: true });
    return reply.available ? reply.checks[0]?.remaining : reply.reason;
  };

  it('a repeated request id returns the first result and is charged once', async () => {
    const one = check(fixedWindowPolicy({ limit: 5, ...hour }));
    const receipt = receiptFor(one);
    const replies = await Promise.all(Array.from({ length: 20 }, () => decide([one], receipt)));
    expect(replies.filter((reply) => !reply.replayed)).toHaveLength(1);
    for (const reply of replies) expect(reply).toMatchObject({ allowed: true, checks: [{ remaining: 4 }] });
    expect(await left(one)).toBe(4);
  });

  it('an id of a different request is a conflict and charges nothing', async () => {
    const one = check(fixedWindowPolicy({ limit: 5, ...hour }));
    const other = { ...one, key: `${one.key}=other` };
    const receipt = receiptFor(one);
    await decide([one], receipt);
    expect(await decide([other], { ...receipt, fingerprint: 2 })).toMatchObject({ conflict: true });
    expect(await left(other)).toBe(5);
  });

  it('recognizes a retry although a limit was added since, which is only checked', async () => {
    const one = check(fixedWindowPolicy({ limit: 5, ...hour }));
    const added = { ...one, key: `${one.key}=added` };
    const receipt = receiptFor(one);
    await decide([one], receipt);
    expect(await decide([one, added], receipt)).toMatchObject({
      allowed: true,
      replayed: true,
      checks: [{ remaining: 4 }, { allowed: true, remaining: 5 }],
    });
    expect(await left(added)).toBe(5);
  });

  it('an id whose charge was refunded can be charged again', async () => {
    const one = check(policyBy({ algorithm: 'concurrency', limit: 1, leaseMs: 60_000 }));
    const job = receiptFor(one);
    const release = { op: 'refundReceipt', receiptKey: job.key, reason: 'released' } as const;
    for (let i = 0; i < 3; i++) {
      expect(await decide([one], job)).toMatchObject({ allowed: true, replayed: false });
      expect(await decide([one], receiptFor(one))).toMatchObject({ allowed: false });
      expect(await amend(release)).toMatchObject({ status: 'applied', units: 1 });
    }
    const rate = check(fixedWindowPolicy({ limit: 2, ...hour }));
    const paid = receiptFor(rate);
    await decide([rate], paid);
    await amend({ op: 'refundReceipt', receiptKey: paid.key, reason: 'all' });
    for (const remaining of [1, 1])
      expect(await decide([rate], paid)).toMatchObject({ checks: [{ remaining }] });
    expect(await left(rate)).toBe(1);
  });

  it('a limit in shadow mode counts, returns its denial and denies nothing', async () => {
    const live = check(fixedWindowPolicy({ limit: 5, ...hour }));
    const policy = compiled(fixedWindowPolicy({ limit: 1, ...hour }), { shadow: true }).policy;
    const shadow = { key: `${live.key}=shadow`, policy, cost: 1 };
    expect(await decide([live, shadow])).toMatchObject({
      allowed: true,
      checks: [{ remaining: 4 }, { remaining: 0 }],
    });
    expect(await decide([live, shadow])).toMatchObject({
      allowed: true,
      checks: [
        { allowed: true, remaining: 3 },
        { allowed: false, remaining: 0 },
      ],
    });
  });

  it('a soft limit allows its band, marked, and then denies', async () => {
    const one = check(fixedWindowPolicy({ limit: 10, throttle: { mode: 'soft', percent: 10 }, ...hour }));
    expect(await decide([{ ...one, cost: 10 }])).toMatchObject({ checks: [{ over: false, remaining: 0 }] });
    expect(await decide([one])).toMatchObject({ allowed: true, checks: [{ over: true, remaining: -1 }] });
    expect(await decide([one])).toMatchObject({ allowed: false, checks: [{ remaining: -1 }] });
  });

  it('refunds at most the charged units', async () => {
    const one = check(fixedWindowPolicy({ limit: 5, ...hour }));
    await decide([{ ...one, cost: 3 }]);
    expect(await amend({ op: 'refund', checks: [{ ...one, cost: 2 }] })).toMatchObject({
      units: 2,
      remaining: 4,
    });
    expect(await amend({ op: 'refund', checks: [{ ...one, cost: 9 }] })).toMatchObject({
      units: 1,
      remaining: 5,
    });
    expect(await left(one)).toBe(5);
  });

  it('refunds a request once', async () => {
    const one = check(fixedWindowPolicy({ limit: 5, ...hour }));
    const receipt = receiptFor(one);
    await decide([{ ...one, cost: 3 }], receipt);
    const refund = { op: 'refundReceipt', receiptKey: receipt.key, reason: 'all' } as const;
    expect(await amend(refund)).toMatchObject({ status: 'applied', units: 3 });
    expect(await amend(refund)).toMatchObject({ status: 'done', units: 0 });
    expect(await left(one)).toBe(5);
    expect(await amend({ ...refund, receiptKey: `${receipt.key}0` })).toMatchObject({ status: 'not_found' });
  });

  it.each([
    ['on_failure', 'success', 3],
    ['on_failure', 'failure', 2],
    ['on_success', 'success', 2],
    ['on_success', 'failure', 3],
  ] as const)(
    'charged %s: after a %s, %i of 3 are left, also after a repeated report',
    async (charge, outcome, after) => {
      const one = check(fixedWindowPolicy({ limit: 3, charge, ...hour }));
      const receipt = receiptFor(one);
      await decide([one], receipt);
      expect(await left(one)).toBe(2);
      await amend({ op: 'refundReceipt', receiptKey: receipt.key, reason: outcome });
      expect(await amend({ op: 'refundReceipt', receiptKey: receipt.key, reason: 'success' })).toMatchObject({
        status: 'done',
      });
      expect(await left(one)).toBe(after);
    },
  );

  it('after an attempt in flight, the next waits until it expires; after a failed one, until the window ends', async () => {
    const one = check(
      fixedWindowPolicy({ limit: 1, charge: 'on_failure', attemptTimeoutMs: 16_000, ...hour }),
    );
    const receipt = receiptFor(one);
    expect(await decide([one], receipt)).toMatchObject({ checks: [{ remaining: 0, attempts: 1 }] });
    const waiting = await decide([one], receiptFor(one));
    expect(waiting).toMatchObject({ allowed: false, checks: [{ inFlight: true, attempts: 1 }] });
    expect(waiting.checks[0]?.waitUs).toBeLessThanOrEqual(17_000_000);
    await amend({ op: 'refundReceipt', receiptKey: receipt.key, reason: 'failure' });
    const [failed] = (await decide([one], receiptFor(one))).checks;
    expect(failed).toMatchObject({ allowed: false, remaining: 0, attempts: 0 });
    expect(failed?.inFlight).toBeUndefined();
    expect(failed?.waitUs).toBeGreaterThan(3_000_000_000);
  });

  it.each([
    [2, 'cap', 'applied', 8],
    [6, 'cap', 'applied', 4],
    [14, 'reject', 'rejected', 6],
    [14, 'cap', 'applied', 0],
    [14, 'overflow', 'applied', -4],
  ] as const)(
    'a reservation of 4 of 10, settled at %i (%s): %s, %i left',
    async (cost, overrun, status, after) => {
      const one = check(fixedWindowPolicy({ limit: 10, ...hour }));
      const receipt = receiptFor(one, 60_000);
      await decide([{ ...one, cost: 4 }], receipt);
      const settle = { op: 'settle', receiptKey: receipt.key, cost, overrun } as const;
      expect(await amend(settle)).toMatchObject({ status });
      expect(await left(one)).toBe(after);
      if (status === 'applied') expect(await amend(settle)).toMatchObject({ status: 'done' });
      else
        expect(
          await amend({ op: 'refundReceipt', receiptKey: receipt.key, reason: 'released' }),
        ).toMatchObject({
          units: 4,
        });
    },
  );

  it('a reservation in a soft band is capped at the band, not at the limit', async () => {
    const one = check(fixedWindowPolicy({ limit: 100, throttle: { mode: 'soft', percent: 10 }, ...hour }));
    const receipt = receiptFor(one, 60_000);
    await decide([{ ...one, cost: 96 }], receipt);
    expect(await amend({ op: 'settle', receiptKey: receipt.key, cost: 500, overrun: 'cap' })).toMatchObject({
      status: 'applied',
      units: -14,
    });
    expect(await left(one)).toBe(-10);
  });

  it('a key of another type does not leave a partial change', async () => {
    const one = check(fixedWindowPolicy({ limit: 10, ...hour }));
    const receipt = receiptFor(one);
    await decide([{ ...one, cost: 4 }], receipt);
    const refund = { op: 'refundReceipt', receiptKey: receipt.key, reason: 'all' } as const;
    expect(await amend(refund)).toMatchObject({ units: 4 });
    expect(await left(one)).toBe(10);
  });

  it('a reservation does not expire early', async () => {
    const one = check(fixedWindowPolicy({ limit: 10, ...hour }));
    const receipt = receiptFor(one, 60_000);
    await decide([one], receipt);
    const expired = await amend({ op: 'refundReceipt', receiptKey: receipt.key, reason: 'expired' });
    expect(expired).toMatchObject({ status: 'rejected' });
    expect(expired.resetAfterUs).toBeGreaterThan(50_000_000);
    expect(expired.resetAfterUs).toBeLessThanOrEqual(60_000_000);
    expect(await left(one)).toBe(9);
  });

  it('a holder acquires a permit once, and only its release frees it', async () => {
    const one = check(policyBy({ algorithm: 'concurrency', limit: 2, leaseMs: 60_000 }));
    const [first, second, third] = [receiptFor(one), receiptFor(one), receiptFor(one)];
    expect(await decide([one], first)).toMatchObject({ allowed: true, checks: [{ remaining: 1 }] });
    expect(await decide([one], second)).toMatchObject({ allowed: true, checks: [{ remaining: 0 }] });
    expect(await decide([one], third)).toMatchObject({ allowed: false });
    expect(await amend({ op: 'renew', receiptKey: second.key })).toMatchObject({ status: 'applied' });
    const release = { op: 'refundReceipt', receiptKey: first.key, reason: 'released' } as const;
    expect(await amend(release)).toMatchObject({ status: 'applied', units: 1 });
    expect(await amend(release)).toMatchObject({ status: 'done' });
    expect(await decide([one], third)).toMatchObject({ allowed: true });
  });

  it("releasing a permit keeps the request's other charges", async () => {
    const slot = check(policyBy({ algorithm: 'concurrency', limit: 1, leaseMs: 60_000 }));
    const { policy } = compiled(fixedWindowPolicy({ limit: 5, ...hour }));
    const rate = { key: `${slot.key}=rate`, policy, cost: 1 };
    const receipt = receiptFor(slot);
    await decide([slot, rate], receipt);
    await amend({ op: 'refundReceipt', receiptKey: receipt.key, reason: 'released' });
    expect([await left(slot), await left(rate)]).toEqual([1, 4]);
  });

  it('takes at most the remaining units', async () => {
    const one = check(fixedWindowPolicy({ limit: 10, throttle: { mode: 'soft', percent: 50 }, ...hour }));
    expect(await amend({ op: 'take', check: { ...one, cost: 7 } })).toMatchObject({ units: 7, remaining: 3 });
    expect(await amend({ op: 'take', check: { ...one, cost: 7 } })).toMatchObject({ units: 3, remaining: 0 });
    expect(await amend({ op: 'take', check: { ...one, cost: 7 } })).toMatchObject({ units: 0, remaining: 0 });
  });

  it('charges past usage, also above the limit', async () => {
    const one = check(fixedWindowPolicy({ limit: 10, ...hour }));
    await decide([{ ...one, cost: 6 }]);
    expect(await amend({ op: 'charge', checks: [{ ...one, cost: 7 }] })).toMatchObject({
      units: 7,
      remaining: -3,
    });
    expect(await decide([one])).toMatchObject({ allowed: false });
  });

  it('restores usage, and never lowers it', async () => {
    const one = check(fixedWindowPolicy({ limit: 10, ...hour }));
    await decide([one]);
    expect(await amend({ op: 'restore', check: one, used: 8 })).toMatchObject({ units: 7, remaining: 2 });
    expect(await amend({ op: 'restore', check: one, used: 5 })).toMatchObject({ units: 0, remaining: 2 });
  });

  it('deletes a counter', async () => {
    const one = check(fixedWindowPolicy({ limit: 1, ...hour }));
    await decide([one]);
    await amend({ op: 'reset', keys: [one.key] });
    expect(await left(one)).toBe(1);
  });

  const rules: LimitPolicy[] = [
    policyBy({ algorithm: 'sliding_window_log', limit: 3, windowMs: 3_600_000 }),
    policyBy({ algorithm: 'sliding_window_counter', limit: 3, windowMs: 3_600_000, buckets: 60 }),
    policyBy({ algorithm: 'sliding_window_counter', limit: 3, windowMs: 3_600_000, buckets: 1 }),
    policyBy({ algorithm: 'token_bucket', limit: 3, windowMs: 3_600_000, capacity: 3, refill: 'continuous' }),
    policyBy({ algorithm: 'token_bucket', limit: 3, windowMs: 86_400_000, capacity: 3, refill: 'interval' }),
    policyBy({ algorithm: 'leaky_bucket', limit: 3, windowMs: 3_600_000, queue: 2 }),
    policyBy({ algorithm: 'quota', limit: 3, period: 'month' }),
  ];
  it.each(rules)(
    '$algorithm admits exactly its limit under a thousand concurrent requests',
    async (policy) => {
      const one = check(policy);
      const replies = await Promise.all(Array.from({ length: 1000 }, () => decide([one])));
      expect(replies.filter((reply) => reply.allowed)).toHaveLength(3);
    },
  );
}
