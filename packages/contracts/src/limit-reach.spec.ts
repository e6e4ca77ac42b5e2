import { describe, expect, it } from 'vitest';
import { compareLimits } from './limit-comparison.js';
import { type LimitPolicy, limitPolicySchema } from './limit-policy.js';
import { coversApi, coversApisOf, shareAnApi } from './limit-scope.js';
import { summarizeLimit } from './limit-summary.js';
import { limitTitle } from './limit-title.js';

const limit = (alsoApis?: string[], over: object = {}): LimitPolicy =>
  ({
    ...{ name: 'app', api: 'shop', operations: [], per: [], onUnavailable: 'share' },
    ...{ algorithm: 'fixed_window', limit: 100, windowMs: 60_000, alignment: 'clock' },
    ...(alsoApis && { alsoApis }),
    ...over,
  }) as LimitPolicy;
const bank = limit(undefined, { api: 'bank' });

describe('a limit on several APIs', () => {
  it.each([
    [limit(), true, false, false],
    [limit(['bank']), true, true, false],
    [limit(['*']), true, true, true],
  ])('covers its home and the others: %j', (one, shop, other, unknown) => {
    expect(['shop', 'bank', 'mail'].map((api) => coversApi(one, api))).toEqual([shop, other, unknown]);
  });

  it.each([
    [limit(['bank']), limit(), true, true],
    [limit(), limit(['bank']), false, true],
    [limit(['*']), limit(['bank']), true, true],
    [limit(['bank']), limit(['*']), false, true],
    [limit(), bank, false, false],
    [limit(['bank']), bank, true, true],
    [limit(['mail']), limit(['mail'], { api: 'bank' }), false, true],
    [limit(['*']), bank, true, true],
  ])('is compared by its APIs: %j and %j', (wide, narrow, covers, shares) => {
    expect([coversApisOf(wide, narrow), shareAnApi(wide, narrow), shareAnApi(narrow, wide)]).toEqual([
      covers,
      shares,
      shares,
    ]);
  });

  it('is decreased by a further API, and increased without it', () => {
    expect(compareLimits([limit()], [limit(['bank'])])).toEqual({ increased: [], decreased: ['shop/app'] });
    expect(compareLimits([limit(['*'])], [limit(['bank'])])).toMatchObject({ increased: ['shop/app'] });
  });

  it.each<[string[], object, string, string]>([
    [['shop'], {}, 'alsoApis', 'The limit is on API shop already; leave it out'],
    [['bank', 'bank'], {}, 'alsoApis', 'An API is named twice'],
    [['*', 'bank'], {}, 'alsoApis', '* includes every API; name no other'],
    [[], {}, 'alsoApis', 'Name an API, or leave alsoApis out'],
    [
      ['*'],
      { operations: ['buy'] },
      'operations',
      'A limit on several APIs covers all operations; leave operations empty',
    ],
    [
      ['bank'],
      { throttle: { mode: 'elastic', maxPercent: 50, pool: 'spare' } },
      'throttle',
      'A limit on several APIs cannot borrow from the pool of one; choose another mode',
    ],
  ])('rejects %j with %j', (alsoApis, over, field, message) => {
    const [issue] = limitPolicySchema.safeParse(limit(alsoApis, over)).error?.issues ?? [];
    expect([issue?.path[0], issue?.message]).toEqual([field, message]);
  });

  it.each([
    [['bank', 'mail'], 'Counts the requests of shop, bank and mail together.', 'All of Shop, Bank, Mail'],
    [['*'], 'Counts the requests of every API.', 'All APIs'],
  ])('is described with its APIs: %j', (alsoApis, sentence, title) => {
    expect(summarizeLimit(limit(alsoApis))).toContain(sentence);
    expect(limitTitle(limit(alsoApis))).toBe(title);
  });
});
