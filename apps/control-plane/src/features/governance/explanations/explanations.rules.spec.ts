import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../usage/index.js';
import { type CheckedLimit, counterPoints, passingRequest, statesOf } from './explanations.rules.js';

const AT = new Date('2026-11-23T09:00:00Z');

const policy = (limitName: string, remaining: number, success: boolean, more: object = {}) => ({
  ...{ limitName, label: null, remaining, success, limit: 10, mode: 'ENFORCE', resetAt: AT },
  ...more,
});

const decision = (more: object) =>
  ({
    ...{ id: '1', requestId: 'r', at: AT, apiKey: 'shop', operation: 'buy', subject: [], cost: 2 },
    ...{ outcome: 'DENIED', limitName: 'a', retryAfter: 5, policies: [] },
    ...more,
  }) as unknown as Decision;

const rules = (algorithm: string, fields: object) => () =>
  ({ algorithm, limit: 10, ...fields }) as unknown as LimitPolicy;

describe('statesOf', () => {
  it.each([
    ['an allowed request charges its cost', 'ALLOWED', true, 7],
    ['a denied request charges nothing, also on limits that allowed it', 'DENIED', true, 5],
    ['a limit in shadow mode that would deny is not charged', 'SHADOW_DENIED', false, 5],
    ['a request without pool capacity charges nothing', 'POOL_DENIED', true, 5],
  ])('%s', (_, outcome, success, before) => {
    const [state] = statesOf(decision({ outcome, policies: [policy('a', 5, success)] }), () => undefined);
    expect(state).toMatchObject({ before, after: 5 });
  });

  it.each([
    ['fixed_window', {}, { field: 'LIMIT', value: 11 }],
    ['token_bucket', { capacity: 30 }, { field: 'CAPACITY', value: 31 }],
    ['gcra', { burst: 0 }, { field: 'BURST', value: 1 }],
    ['leaky_bucket', { queue: 4 }, { field: 'QUEUE', value: 5 }],
  ])('names the amount of %s that would have been enough', (algorithm, fields, sufficient) => {
    const denied = decision({ policies: [policy('a', 1, false)] });
    expect(statesOf(denied, rules(algorithm, fields))).toMatchObject([{ sufficient }]);
  });

  it('starts from the limit that applied to the subject, if a rule replaced that of the tenant', () => {
    const denied = decision({ policies: [policy('a', 1, false, { limit: 4 })] });
    expect(statesOf(denied, rules('quota', {}))).toMatchObject([
      { sufficient: { field: 'LIMIT', value: 5 } },
    ]);
    expect(statesOf(denied, rules('gcra', { burst: 0 }))).toMatchObject([{ sufficient: null }]);
  });

  it('names no amount for a limit that allowed, a candidate, or a rule that is not stored', () => {
    const denied = decision({
      policies: [policy('a', 1, true), policy('a', 1, false, { mode: 'CANDIDATE' }), policy('b', 1, false)],
    });
    const ruleOf = ({ limitName }: CheckedLimit) => (limitName === 'a' ? rules('quota', {})() : undefined);
    expect(statesOf(denied, ruleOf).map(({ sufficient }) => sufficient)).toEqual([null, null, null]);
  });

  it('names no amount for a part of a shared limit, whose number is not that of the limit', () => {
    const denied = decision({
      policies: [policy('a', 4, true, { label: 'parent' }), policy('a', 0, false, { label: 'common' })],
    });
    const found = statesOf(denied, rules('quota', {}));
    expect(found.map(({ sufficient }) => sufficient)).toEqual([null, null]);
  });
});

describe('passingRequest', () => {
  it('is the wait and the cost that fits all denying limits', () => {
    const policies = [
      policy('a', 3, false),
      policy('b', 1, false),
      policy('c', 0, false, { mode: 'SHADOW' }),
    ];
    const at = new Date('2026-11-23T09:00:05Z');
    expect(passingRequest(decision({ policies }))).toEqual({ at, cost: 1 });
  });

  it('is a whole second: of the reset, if it is within the rounded wait', () => {
    const denied = (resetAt: string) => {
      const policies = [policy('a', 0, false, { resetAt: new Date(resetAt) })];
      return passingRequest(decision({ at: new Date('2026-11-23T23:59:55.417Z'), retryAfter: 5, policies }));
    };
    expect(denied('2026-11-24T00:00:00Z')).toMatchObject({ at: new Date('2026-11-24T00:00:00Z') });
    expect(denied('2026-11-24T00:00:00.350Z')).toMatchObject({ at: new Date('2026-11-24T00:00:01Z') });
  });

  it('has no time for a cost above the limit, and no cost for a limit that is used up', () => {
    const policies = [policy('a', 0, false)];
    expect(passingRequest(decision({ policies, retryAfter: null }))).toEqual({ at: null, cost: null });
  });

  it('is only the wait while a penalty blocks the subject', () => {
    const blocked = decision({ reason: 'PENALTY', policies: [policy('a', 1, false)] });
    expect(passingRequest(blocked)).toMatchObject({ cost: null });
    expect(statesOf(blocked, rules('quota', {}))).toMatchObject([{ sufficient: null }]);
  });

  it('is null where no limit denied', () => {
    expect(passingRequest(decision({ outcome: 'ALLOWED', policies: [policy('a', 3, true)] }))).toBeNull();
    expect(passingRequest(decision({ outcome: 'POOL_DENIED', policies: [policy('a', 3, true)] }))).toBeNull();
  });
});

describe('counterPoints', () => {
  it('are the decisions on the same counter, oldest first', () => {
    const of = (requestId: string, second: number, user: string, more: object = {}) =>
      decision({
        ...{
          requestId,
          at: new Date(AT.getTime() + second * 1000),
          policies: [policy('a', 9 - second, true)],
        },
        subject: [
          { dimension: 'user', pseudonym: user },
          { dimension: 'ip', pseudonym: requestId },
        ],
        ...more,
      });
    const last = of('last', 9, 'ann');
    const others = [of('other-user', 2, 'bob'), of('other-api', 3, 'ann', { apiKey: 'mail' })];
    const unlimited = of('other-limit', 4, 'ann', { policies: [policy('b', 1, true)] });
    const samples = [last, unlimited, ...others, of('first', 1, 'ann')];
    const pointsOf = (alsoApis?: string[], ipv6Prefix?: number) =>
      counterPoints(last, { api: 'shop', alsoApis, per: ['user'], ipv6Prefix }, samples).map(
        ({ requestId, remaining }) => [requestId, remaining],
      );
    expect(pointsOf(undefined, 48)).toEqual([['last', 0]]);
    expect(pointsOf()).toEqual([
      ['first', 8],
      ['last', 0],
    ]);
    expect(pointsOf(['mail'])).toEqual([
      ['first', 8],
      ['other-api', 6],
      ['last', 0],
    ]);
  });

  it('are those of the label whose amount decided', () => {
    const limits = (label: string, left: number) => [
      policy('a', left, left > 0, { label }),
      policy('a', 9, true),
      policy('a', 0, false, { mode: 'CANDIDATE' }),
    ];
    const samples = [
      decision({ requestId: 'eu', policies: limits('eu', 0) }),
      decision({ requestId: 'us', policies: limits('us', 3) }),
    ];
    const [denied] = samples as [Decision];
    expect(counterPoints(denied, { api: 'shop', per: [] }, samples)).toMatchObject([
      { requestId: 'eu', remaining: 0, success: false },
    ]);
  });
});
