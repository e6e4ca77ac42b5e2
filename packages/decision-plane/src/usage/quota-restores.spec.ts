import { expect, it } from 'vitest';
import { compiled, policyBy } from '../../../limiter/test/policies.js';
import type { KnownUsage } from './quota-checkpoints.js';
import { QuotaRestores } from './quota-restores.js';

const END_MS = Date.UTC(2026, 1, 1);
const NOW_US = Date.UTC(2026, 0, 20) * 1000;
const SECOND_US = 1_000_000;
const check = {
  key: '{acme}:q1:api:month',
  policy: compiled(policyBy({ algorithm: 'quota', limit: 100, period: 'month' })).policy,
  cost: 1,
};

/** Known by a reading that counts all charges, unless `atUs` gives its time. */
type Known = Omit<KnownUsage, 'atUs'> & { atUs?: number };

function counterOf(known: Known) {
  const state = {
    known,
    seen: 0,
    hasPendingRefund: false,
    canRestore: true,
    restored: 0,
    attempts: 0,
    storeRestores: 0,
  };
  const restores = new QuotaRestores({
    checkpoints: {
      find: () => {
        state.attempts++;
        return Promise.resolve({ atUs: Number.MAX_SAFE_INTEGER, ...state.known });
      },
      note: () => undefined,
      tenantOf: () => 'acme',
      usedUnder: () => state.seen,
      hasPendingRefund: () => state.hasPendingRefund,
      get generation() {
        return state.storeRestores;
      },
      get storeRestores() {
        return state.storeRestores;
      },
      isAwaited: false,
      isRestored: true,
    },
    restore: (_, used) => {
      if (state.canRestore) state.restored = used;
      return Promise.resolve(state.canRestore);
    },
    peek: () => Promise.reject(new Error('not read')),
    deadlineMs: 25,
    nowUs: () => NOW_US,
  });
  const attempt = async (seconds: number, used = 1) =>
    await restores.charged('acme', check, END_MS, used, NOW_US + seconds * SECOND_US, false);
  return { state, attempt, isOpen: () => restores.mayLackUsage(check.key, END_MS) };
}

it('restores a counter to the known usage once', async () => {
  const { state, attempt, isOpen } = counterOf({ used: 60, isComplete: true });
  await attempt(0);
  expect(state.restored).toBe(60);
  expect(isOpen()).toBe(false);
});

it('adds charges since the reading', async () => {
  const { state, attempt } = counterOf({ used: 60, isComplete: true, atUs: NOW_US - 1 });
  state.canRestore = false;
  for (let i = 0; i < 3; i++) await attempt(i, 1 + i);
  state.canRestore = true;
  await attempt(3, 4);
  expect(state.restored).toBe(64);
});

it("restores a counter below this node's reading, even if another node charged it first", async () => {
  const { state, attempt } = counterOf({ used: 60, isComplete: true });
  await attempt(0, 20);
  expect(state.restored).toBe(0);
  state.seen = 60;
  await attempt(1, 21);
  expect(state.restored).toBe(60);
});

it('does not restore counters without higher known usage', async () => {
  const { state, attempt, isOpen } = counterOf({ used: 1, isComplete: true });
  state.canRestore = false;
  await attempt(0);
  expect(isOpen()).toBe(false);
});

it('retries once a second until the checkpoint is readable', async () => {
  const { state, attempt, isOpen } = counterOf({ used: 0, isComplete: false });
  for (let i = 0; i < 30; i++) await attempt(i / 10);
  expect(state.attempts).toBe(3);
  state.known = { used: 40, isComplete: false };
  await attempt(4);
  expect(state.restored).toBe(40);
  expect(isOpen()).toBe(true);
  state.known = { used: 60, isComplete: true };
  await attempt(5);
  expect(state.restored).toBe(60);
  expect(isOpen()).toBe(false);
});

it('retries a failed restore', async () => {
  const { state, attempt, isOpen } = counterOf({ used: 60, isComplete: true });
  state.canRestore = false;
  await attempt(0);
  expect(isOpen()).toBe(true);
  state.canRestore = true;
  await attempt(1);
  expect(state.restored).toBe(60);
  expect(isOpen()).toBe(false);
});

it('does not restore a counter emptied by a recent refund, but checks it later', async () => {
  const { state, attempt, isOpen } = counterOf({ used: 60, isComplete: true });
  state.hasPendingRefund = true;
  for (let i = 0; i < 3; i++) await attempt(i);
  expect(state.attempts).toBe(0);
  state.known = { used: 0, isComplete: true };
  await attempt(3);
  expect(state.restored).toBe(0);
  expect(isOpen()).toBe(false);
});

it('restores a constantly refunded counter', async () => {
  const { state, attempt } = counterOf({ used: 60, isComplete: true });
  state.hasPendingRefund = true;
  await attempt(0);
  await attempt(3);
  expect(state.restored).toBe(60);
});

it('looks up a counter again after the checkpoint store was restored', async () => {
  const { state, attempt, isOpen } = counterOf({ used: 0, isComplete: true });
  await attempt(0);
  expect(isOpen()).toBe(false);
  state.known = { used: 60, isComplete: true };
  state.storeRestores++;
  expect(isOpen()).toBe(true);
  await attempt(1);
  expect(state.restored).toBe(60);
  expect(isOpen()).toBe(false);
  expect(state.attempts).toBe(2);
});

it('does not look up an existing counter after a restore of the checkpoint store', () => {
  const { state, isOpen } = counterOf({ used: 60, isComplete: true });
  state.storeRestores++;
  expect(isOpen()).toBe(false);
});
