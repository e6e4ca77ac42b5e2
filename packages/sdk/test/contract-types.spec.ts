import {
  type Called,
  limitRequestSchema,
  reserveRequestSchema,
  type LimitRequest as WireLimitRequest,
  type ReserveRequest as WireReserveRequest,
  type SettleRequest as WireSettleRequest,
} from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { TestPlane } from '@tollgate/decision-plane/testing';
import { expect, it } from 'vitest';
import type { SettleRequest } from '../src/client/requests.js';
import { type EmbeddedPlane, EmbeddedTollgate } from '../src/embedded.js';
import type { LimitRequest, ReserveRequest } from '../src/index.js';
import { LIMITS } from './policy.js';

type Fits<Sent extends Wire, Wire> = Sent;

/** Compile-time check that the SDK's types match the contracts. */
export type Checked = [
  Fits<Extract<LimitRequest, { tenant: string }>['subject'], WireLimitRequest['subject']>,
  Fits<keyof LimitRequest, keyof WireLimitRequest | 'key'>,
  Fits<keyof ReserveRequest, keyof WireReserveRequest | 'key'>,
  Fits<keyof SettleRequest, keyof WireSettleRequest | 'key'>,
  Fits<DecisionPlane, EmbeddedPlane>,
  Fits<TestPlane, EmbeddedPlane>,
  Fits<Called<WireLimitRequest>['api'], string>,
];

it('every field that a request may have is one of the wire’s', () => {
  const full: LimitRequest = {
    tenant: 'acme',
    api: 'shop',
    operation: 'checkout',
    subject: { user: 'u1' },
    cost: 2,
    requestId: 'r1',
  };
  expect(limitRequestSchema.parse(full)).toEqual(full);
  expect(reserveRequestSchema.parse({ ...full, expiresInMs: 5000 }).expiresInMs).toBe(5000);
});

it('TestPlane has the same interface for tests of a service', async () => {
  const plane = new TestPlane({ limits: LIMITS });
  const limiter = new EmbeddedTollgate({ plane });
  const request = { tenant: 'acme', api: 'shop', operation: 'checkout', subject: { user: 'u1' }, cost: 5 };
  expect((await limiter.limit(request)).success).toBe(true);
  expect((await limiter.limit(request)).success).toBe(false);
  plane.clock.advanceMs(3_600_000);
  expect((await limiter.limit(request)).success).toBe(true);
});
