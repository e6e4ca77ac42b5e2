import type { LimitRequest, OnMissing } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { policyBy } from '../../../limiter/test/policies.js';
import { TestPlane } from '../testing/test-plane.js';

const RULE = { algorithm: 'fixed_window', limit: 3, windowMs: 3_600_000, alignment: 'clock' } as const;
const login = { tenant: 'acme', api: 'auth', operation: 'login' };

/** A plane with one limit of 3 an hour by `per`. */
function planeBy(per: string[], onMissing?: OnMissing, more: object[] = []): TestPlane {
  const common = { api: 'auth', operations: ['login'] };
  const limit = policyBy(RULE, { ...common, name: 'by-value', per, ...(onMissing && { onMissing }) });
  return new TestPlane({ limits: [limit, ...more.map((one) => policyBy(RULE, { ...common, ...one }))] });
}

const remainingOf = async (plane: TestPlane, subject?: LimitRequest['subject']) =>
  (await plane.limit({ ...login, ...(subject && { subject }) })).remaining;

describe('a request without a value for a dimension of a limit', () => {
  it('is decided by one shared counter after a limit by an unused dimension is added', async () => {
    const plane = planeBy(['user']);
    expect(await remainingOf(plane)).toBe(2);
    expect(await remainingOf(plane, { ip: '203.0.113.9' })).toBe(1);
    expect(await remainingOf(plane, { user: 'u1' })).toBe(2);
    expect(await remainingOf(plane)).toBe(0);
    expect(await plane.limit(login)).toMatchObject({ success: false, reason: 'RATE_EXCEEDED' });
    expect(await remainingOf(plane, { user: 'u1' })).toBe(1);
    expect(await plane.limit({ ...login, tenant: 'globex' })).toMatchObject({ remaining: 2 });
  });

  it('keeps separate counters for the values that it has', async () => {
    const plane = planeBy(['user', 'ip']);
    expect(await remainingOf(plane, { ip: '203.0.113.1' })).toBe(2);
    expect(await remainingOf(plane, { ip: '203.0.113.1' })).toBe(1);
    expect(await remainingOf(plane, { ip: '203.0.113.2' })).toBe(2);
    expect(await remainingOf(plane, { user: '203.0.113.1' })).toBe(2);
    expect(await remainingOf(plane)).toBe(2);
  });

  it.each(['?', '^', 'undefined', 'null'])('never shares a counter with the value %j', async (value) => {
    const plane = planeBy(['user']);
    expect(await remainingOf(plane)).toBe(2);
    expect(await remainingOf(plane, { user: value })).toBe(2);
    expect(await remainingOf(plane)).toBe(1);
  });

  it('is not limited under skip, and answers EXEMPT when no other limit applies', async () => {
    const plane = planeBy(['user'], 'skip');
    expect(await plane.limit(login)).toMatchObject({ success: true, reason: 'EXEMPT', policies: [] });
    expect(await plane.peek(login)).toMatchObject({ reason: 'EXEMPT' });
    expect(await plane.reserve(login)).toMatchObject({ reason: 'EXEMPT', expiresAt: null });
    expect(await remainingOf(plane, { user: 'u1' })).toBe(2);
  });

  it('is still decided by the other limits under skip', async () => {
    const plane = planeBy(['user'], 'skip', [{ name: 'all', per: [] }]);
    const { policies, policy } = await plane.limit(login);
    expect([policy, policies.map(({ name }) => name)]).toEqual(['all', ['all']]);
    const both = await plane.limit({ ...login, subject: { user: 'u1' } });
    expect(both.policies.map(({ name, remaining }) => [name, remaining])).toEqual([
      ['by-value', 2],
      ['all', 1],
    ]);
  });

  it('is rejected under refuse, with each missing value named', async () => {
    const plane = planeBy(['user', 'device'], 'refuse');
    await expect(plane.limit(login)).rejects.toMatchObject({
      code: 'dimension-missing',
      errors: [
        { field: 'subject.user', message: 'subject.user is required by limit by-value; send it' },
        { field: 'subject.device' },
      ],
    });
    expect(await plane.limitMany([login])).toMatchObject([{ code: 'dimension-missing', status: 400 }]);
  });

  it.each(['shared', 'skip', 'refuse'] as const)(
    'is rejected under %s when a value that it has is no address',
    async (onMissing) => {
      const plane = planeBy(['user', 'ip'], onMissing);
      await expect(plane.limit({ ...login, subject: { ip: 'localhost' } })).rejects.toMatchObject({
        code: 'dimension-invalid',
      });
      await expect(plane.limit({ ...login, subject: { user: 'u1', ip: 'localhost' } })).rejects.toMatchObject(
        {
          code: 'dimension-invalid',
          errors: [{ message: 'subject.ip is not a valid IP address (required by limit by-value)' }],
        },
      );
    },
  );

  it('is refunded and reset on the shared counter', async () => {
    const plane = planeBy(['user']);
    await plane.limit({ ...login, cost: 3 });
    expect(await plane.refund({ ...login, cost: 1 })).toMatchObject({ status: 'applied', returned: 1 });
    expect(await plane.peek(login)).toMatchObject({ remaining: 1 });
    await plane.reset(login);
    expect(await plane.peek(login)).toMatchObject({ remaining: 3 });
  });

  it('is counted or skipped by a candidate as by its limit', async () => {
    const candidate = { ...RULE, limit: 1 };
    const skipped = planeBy(['user'], 'skip', [
      { name: 'tried', per: ['device'], onMissing: 'skip', candidate },
    ]);
    expect(await skipped.limit(login)).toMatchObject({ reason: 'EXEMPT' });
    const shared = planeBy(['user'], 'skip', [{ name: 'tried', per: ['device'], candidate }]);
    await shared.limit(login);
    const { policies } = await shared.limit(login);
    expect(policies.map(({ mode, success }) => [mode, success])).toEqual([
      ['enforce', true],
      ['candidate', false],
    ]);
  });

  it('is counted in all members of a joint decision', async () => {
    const plane = planeBy(['user']);
    const answers = await plane.limitTogether([login, login], { unknownCaller: 'deny' });
    expect(answers).toMatchObject([{ success: true }, { success: true, remaining: 1 }]);
  });
});
