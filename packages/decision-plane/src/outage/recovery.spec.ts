import type { StoreReply } from '@tollgate/limiter/stores';
import { FakeClock } from '@tollgate/limiter/testing';
import { expect, it } from 'vitest';
import { Availability } from './recovery.js';

const answered: StoreReply = { available: true, nowUs: 0, allowed: true, checks: [], replayed: false };
const late: StoreReply = { available: false, reason: 'deadline' };

it('reports one outage and one recovery when one of three shards is unavailable', () => {
  const clock = new FakeClock();
  const told: string[] = [];
  const availability = new Availability({
    onDegraded: (cause) => told.push(`degraded: ${cause}`),
    onRecovered: (decisions) => told.push(`recovered after ${decisions}`),
    clockMs: () => clock.nowMs(),
  });
  availability.failed('deadline', new Error('shard 2'));
  for (let i = 0; i < 300; i++) {
    availability.note(i % 3 === 0 ? late : answered);
    clock.advanceMs(10);
  }
  expect(told).toEqual(['degraded: deadline: shard 2']);
  for (let i = 0; i < 200; i++) {
    availability.note(answered);
    clock.advanceMs(10);
  }
  expect(told).toEqual(['degraded: deadline: shard 2', 'recovered after 100']);
  expect(availability.degraded).toBe(false);
});
