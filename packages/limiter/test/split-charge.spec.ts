import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { PendingParts } from '../src/cluster/parts.js';
import { readNote } from '../src/cluster/shared-parts.js';
import { slotOf } from '../src/cluster/slots.js';
import { isInOneSlot, SplitCharges } from '../src/cluster/split-charge.js';
import type { MemoryStoreOptions } from '../src/memory/memory-counters.js';
import { MemoryStore } from '../src/memory/memory-store.js';
import type { Check, CheckResult, StoreReply, StoreRequest } from '../src/stores/decision-store.js';
import { compiled, fixedWindowPolicy, gcraPolicy } from './policies.js';

const DEADLINE_MS = 1000;
const NOW_US = 1_767_225_600_000_000;
const hour = { windowMs: 3_600_000, alignment: 'first_request' as const };

/** Counters in four slots, one of them of a limit on all tenants; three slots have two counters. */
const counters = ['{a}', '{a}', '{b}', '{b}', '{c}', '{~api}', '{~api}'].map((tag, i) => {
  const enforcement = i === 3 ? { mode: 'shadow' as const } : undefined;
  const over = { limit: 2 + i, ...(enforcement === undefined ? {} : { enforcement }) };
  const { policy, keyStem } = compiled(
    i % 2 === 0
      ? fixedWindowPolicy({ ...hour, ...over })
      : gcraPolicy({ windowMs: 3_600_000, burst: 2, ...over }),
  );
  return { key: `${tag}${keyStem}${i}`, policy };
});

const requests = fc.array(
  fc.record({
    places: fc.uniqueArray(fc.integer({ min: 0, max: counters.length - 1 }), { minLength: 1, maxLength: 5 }),
    cost: fc.integer({ min: 0, max: 4 }),
    peek: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

function requestOf(places: readonly number[], cost: number, peek: boolean): StoreRequest {
  const checks = places.flatMap((place): Check[] => {
    const counter = counters[place];
    return counter === undefined ? [] : [{ ...counter, cost }];
  });
  return { checks, peek };
}

// Small, because it is created much faster.
const memory = (options: MemoryStoreOptions = {}) => new MemoryStore({ maxKeys: 1000, ...options });

/** Peeks every counter. */
const everything = requestOf([...counters.keys()], 1, true);

/** In a denial, `resetAfterUs` of the limits that allowed is as if they had been charged. */
function comparable(reply: StoreReply, { peek }: StoreRequest): StoreReply {
  if (!reply.available || reply.allowed || peek) return reply;
  const withoutReset = (check: CheckResult) => (check.allowed ? { ...check, resetAfterUs: 0 } : check);
  return { ...reply, checks: reply.checks.map(withoutReset) };
}

/** Pending parts without other nodes. */
function partsIn(store: MemoryStore) {
  const pending = new Set<string>();
  const receiptOf = (note: string) => readNote(note)?.receiptKey ?? note;
  const parts: PendingParts = {
    add: (note) => void pending.add(note),
    confirm: async (note) => void pending.delete(note),
    refund: async (note) => {
      await store.amend({ op: 'refundReceipt', receiptKey: receiptOf(note), reason: 'all' });
      pending.delete(note);
    },
    settle: async (note, cost) => {
      await store.amend({ op: 'settle', receiptKey: receiptOf(note), cost, overrun: 'cap' });
      pending.delete(note);
    },
  };
  return { parts, pending };
}

function splitOver(store: MemoryStore) {
  const { parts, pending } = partsIn(store);
  return { split: new SplitCharges(store, parts, DEADLINE_MS), pending };
}

describe('decision over several slots', () => {
  it('the tags of these tests are in different slots', () => {
    expect(new Set(counters.map(({ key }) => slotOf(key))).size).toBe(4);
  });

  it('is needed for exactly the requests whose keys have several slots', () => {
    // `{a}{b}` has the tag of `{a}`, `{}` none.
    const key = fc
      .tuple(fc.constantFrom('{a}', '{a}{b}', '{ab}', '{b}', '{}', ''), fc.constantFrom('x', 'y'))
      .map((parts) => parts.join(''));
    const request = fc.tuple(
      fc.array(key, { minLength: 1, maxLength: 4 }),
      fc.option(key, { nil: undefined }),
    );
    fc.assert(
      fc.property(request, ([keys, receipt]) => {
        const checks = keys.map((one) => ({ ...counters[0], key: one, cost: 1 })) as Check[];
        const order = { key: receipt ?? '', holder: 7, fingerprint: 1, keepMs: 1000, expiresAfterMs: 0 };
        const slots = new Set([...keys, ...(receipt === undefined ? [] : [receipt])].map(slotOf));
        const sent = { checks, peek: false, ...(receipt === undefined ? {} : { receipt: order }) };
        expect(isInOneSlot(sent)).toBe(slots.size === 1);
      }),
    );
  });

  it('replies and charges like one store with all counters', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (sequence) => {
        const clockUs = () => NOW_US;
        const [whole, parts] = [memory({ clockUs }), memory({ clockUs })];
        const { split } = splitOver(parts);
        for (const { places, cost, peek } of sequence) {
          const request = requestOf(places, cost, peek);
          const [parted, decided] = [await split.charge(request), await whole.charge(request)];
          expect(comparable(parted, request)).toEqual(comparable(decided, request));
          expect(await parts.charge(everything)).toEqual(await whole.charge(everything));
        }
      }),
    );
  });

  it('a denial in any slot leaves all others unchanged', async () => {
    const store = memory({ clockUs: () => NOW_US });
    const { split } = splitOver(store);
    const spent = requestOf([4], 6, false);
    await store.charge(spent);
    const before = await store.charge(everything);
    for (const places of [
      [0, 4],
      [4, 0],
      [5, 4, 0],
      [0, 2, 4, 5],
    ]) {
      expect(await split.charge(requestOf(places, 1, false))).toMatchObject({
        available: true,
        allowed: false,
      });
      expect(await store.charge(everything)).toEqual(before);
    }
  });

  it('an unavailable slot makes the request unavailable, and nothing is charged', async () => {
    const store = memory();
    const request = requestOf([0, 2, 4], 1, false);
    for (const dead of ['{a}', '{b}', '{c}']) {
      const split = new SplitCharges(
        {
          amend: (amendment) => store.amend(amendment),
          charge: async (part) =>
            part.checks[0]?.key.startsWith(dead)
              ? { available: false, reason: 'suspended' }
              : store.charge(part),
        },
        { ...partsIn(store).parts, confirm: () => Promise.reject(new Error('kept')) },
        DEADLINE_MS,
      );
      expect(await split.charge(request)).toEqual({ available: false, reason: 'suspended' });
      const left = await store.charge({ ...request, peek: true });
      expect(left).toMatchObject({ checks: [{ remaining: 2 }, { remaining: 4 }, { remaining: 6 }] });
    }
  });

  it('a repeated id charges no slot again; another request under the id is a conflict', async () => {
    const store = memory();
    const { split } = splitOver(store);
    const receipt = { key: '{a}:r1=id', holder: 7, fingerprint: 1, keepMs: 60_000, expiresAfterMs: 0 };
    const request = { ...requestOf([0, 5], 1, false), receipt };
    const first = await split.charge(request);
    expect(first).toMatchObject({ allowed: true, replayed: false });
    await split.finished();
    expect(await split.charge(request)).toMatchObject({
      allowed: true,
      replayed: true,
      checks: [{ remaining: 1 }, {}],
    });
    const other = { ...requestOf([1, 5], 1, false), receipt: { ...receipt, fingerprint: 2 } };
    expect(await split.charge(other)).toMatchObject({ conflict: true });
    expect(await store.charge(requestOf([0, 5], 1, true))).toMatchObject({ checks: [{ remaining: 1 }, {}] });
  });

  it('a denial does not wait for refunds; a retry under the same id does', async () => {
    const store = memory();
    const refunds: (() => Promise<unknown>)[] = [];
    const split = new SplitCharges(
      store,
      {
        ...partsIn(store).parts,
        refund: (receiptKey) =>
          new Promise((resolve) => {
            refunds.push(async () => {
              await store.amend({ op: 'refundReceipt', receiptKey, reason: 'all' });
              store.receipts.delete(receiptKey);
              resolve();
            });
          }),
      },
      DEADLINE_MS,
    );
    const receipt = { key: '{a}:r1=again', holder: 7, fingerprint: 1, keepMs: 60_000, expiresAfterMs: 0 };
    const request = { ...requestOf([0, 5], 1, false), receipt };
    const full = requestOf([0], 2, false);
    await store.charge(full);
    // The limit on all tenants allows and has 3, the tenant's has nothing left.
    expect(await split.charge(request)).toMatchObject({
      allowed: false,
      checks: [
        { allowed: false, remaining: 0 },
        { allowed: true, remaining: 3 },
      ],
    });
    await store.amend({ op: 'refund', checks: full.checks });
    const retry = split.charge(request);
    for (const refund of refunds) await refund();
    expect(await retry).toMatchObject({ allowed: true, replayed: false });
    expect(await store.charge(requestOf([0, 5], 1, true))).toMatchObject({
      checks: [{ remaining: 1 }, { remaining: 2 }],
    });
  });

  it('a retry whose parts are not refunded in time gets a reply at its deadline', async () => {
    const store = memory();
    const split = new SplitCharges(
      store,
      { ...partsIn(store).parts, refund: () => new Promise(() => undefined) },
      20,
    );
    const receipt = { key: '{a}:r1=stuck', holder: 7, fingerprint: 1, keepMs: 60_000, expiresAfterMs: 0 };
    const request = { ...requestOf([0, 5], 3, false), receipt };
    expect(await split.charge(request)).toMatchObject({ allowed: false });
    expect(await split.charge(request)).toEqual({ available: false, reason: 'deadline' });
  });

  describe('requests of one event loop turn on a limit on all tenants', () => {
    const OF_ALL = [5, 6];
    const TENANTS = [0, 1, 2, 4];
    const turns = fc.array(
      fc.array(
        fc.record({
          places: fc.tuple(fc.constantFrom(...TENANTS), fc.constantFrom(...OF_ALL)),
          cost: fc.constantFrom(1, 1, 1, 2, 0),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      { minLength: 1, maxLength: 5 },
    );

    async function remainingIn(store: MemoryStore): Promise<number[]> {
      const reply = await store.charge(everything);
      return reply.available ? reply.checks.map(({ remaining }) => remaining) : [];
    }

    it('are charged once together, and each limit keeps exactly what the admitted ones cost', async () => {
      let calls = 0;
      await fc.assert(
        fc.asyncProperty(turns, async (sequence) => {
          const store = memory({ clockUs: () => NOW_US });
          const { split, pending } = splitOver(store);
          const expected = await remainingIn(store);
          for (const turn of sequence) {
            const replies = turn.map(({ places, cost }) => split.charge(requestOf(places, cost, false)));
            for (const [i, reply] of (await Promise.all(replies)).entries()) {
              calls++;
              const { places, cost } = turn[i] as (typeof turn)[number];
              if (!reply.available) throw new Error(reply.reason);
              expect(reply.checks).toHaveLength(places.length);
              expect(reply.allowed).toBe(reply.checks.every(({ allowed }) => allowed));
              if (reply.allowed) for (const place of places) (expected[place] as number) -= cost;
            }
            await split.finished();
            expect(await remainingIn(store)).toEqual(expected);
            expect(pending.size).toBe(0);
          }
          expect(Math.min(...expected)).toBeGreaterThanOrEqual(0);
        }),
      );
      expect(calls).toBeGreaterThan(500);
    });

    it('share one charge and one note, and see their own remaining units', async () => {
      const store = memory({ clockUs: () => NOW_US });
      const charge = vi.spyOn(store, 'charge');
      const { split } = splitOver(store);
      const places = [
        [0, 6],
        [2, 6],
        [4, 6],
      ];
      const replies = await Promise.all(places.map((of) => split.charge(requestOf(of, 1, false))));
      expect(replies.map((reply) => reply.available && reply.checks[1]?.remaining)).toEqual([7, 6, 5]);
      const shared = charge.mock.calls.filter(([{ checks }]) => checks[0]?.key.startsWith('{~api}'));
      expect(shared.map(([{ checks }]) => checks[0]?.cost)).toEqual([3]);
    });

    it('are decided one by one if the limit does not allow all of them', async () => {
      const store = memory({ clockUs: () => NOW_US });
      const { split } = splitOver(store);
      await store.charge(requestOf([6], 6, false));
      const replies = await Promise.all([0, 2, 4].map((of) => split.charge(requestOf([of, 6], 1, false))));
      expect(replies.map((reply) => reply.available && reply.allowed)).toEqual([true, true, false]);
    });

    it('of which one slot is unavailable keep the units of the others', async () => {
      const store = memory({ clockUs: () => NOW_US });
      const { parts, pending } = partsIn(store);
      const split = new SplitCharges(
        {
          amend: (amendment) => store.amend(amendment),
          charge: async (part) =>
            part.checks[0]?.key.startsWith('{b}')
              ? { available: false, reason: 'suspended' }
              : store.charge(part),
        },
        parts,
        DEADLINE_MS,
      );
      const before = await remainingIn(store);
      const replies = await Promise.all([0, 2, 4].map((of) => split.charge(requestOf([of, 6], 1, false))));
      expect(replies).toMatchObject([{ allowed: true }, { available: false }, { allowed: true }]);
      await split.finished();
      expect(pending.size).toBe(0);
      expect(await remainingIn(store)).toEqual(
        before.map((units, i) => units - ({ 0: 1, 4: 1, 6: 2 }[i] ?? 0)),
      );
    });
  });
});
