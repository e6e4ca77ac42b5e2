import type { LimitPolicy } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { LimitOrigin } from '../../../platform/prisma/schema.js';
import { lintVersion } from './lint.rules.js';

const APIS = new Map([['shop', { id: 'shop', operations: new Map(), pools: new Map() }]]);

/** Severity and code of the findings of a tier with limits per hour. */
function findings(...limits: Partial<LimitPolicy>[]) {
  const common = { api: 'shop', operations: [], per: [], onUnavailable: 'share' };
  const rule = { algorithm: 'fixed_window', windowMs: 3_600_000, alignment: 'clock' };
  const checked = limits.map((limit, i) => ({
    policy: { ...common, ...rule, name: `limit-${i}`, ...limit } as LimitPolicy,
    apiId: 'shop',
    origin: LimitOrigin.TIER,
  }));
  const found = lintVersion({ tierKey: 'basic', number: 1, limits: checked }, APIS, []);
  return found.map(({ severity, code }) => `${severity} ${code}`);
}

it.each<[string, string[], Partial<LimitPolicy>, Partial<LimitPolicy>]>([
  ['an error for a limit that no tenant reaches', ['ERROR NEVER_REACHED'], { limit: 10 }, { limit: 20 }],
  [
    'a warning for a limit that only children with floors reach',
    ['WARNING NEVER_REACHED'],
    { limit: 10, sharedWithChildren: true },
    { limit: 20, sharedWithChildren: true },
  ],
  [
    'nothing for a limit shared with children, next to one of the tenant alone',
    [],
    { limit: 10 },
    { limit: 20, sharedWithChildren: true },
  ],
  [
    'nothing for limits of addresses and their networks',
    [],
    { limit: 20, per: ['ip'] },
    { limit: 100, per: ['ip'], ipv4Prefix: 24 },
  ],
])('finds %s', (_, expected, narrow, wide) => {
  expect(findings(narrow, wide)).toEqual(expected);
});
