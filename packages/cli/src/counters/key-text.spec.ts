import { expect, it } from 'vitest';
import { keyText } from './key-text.js';

it('shows names, units and lists on separate lines', () => {
  const text = keyText({
    key: '{acme}:l1:maps:per-minute=u1',
    kind: 'counter',
    name: { tenant: 'acme', values: ['u1'] },
    expiresInMs: 61_000,
    value: {
      policyId: 5,
      usedUnits: 12_000,
      failures: null,
      shadow: false,
      inFlight: [],
      policy: { horizonMs: 60_000 },
      admissions: Array.from({ length: 11 }, (_, n) => ({ at: `2026-01-31T12:00:0${n}Z`, units: 3 })),
    },
  });
  expect(text.split('\n').slice(0, 16)).toEqual([
    '{acme}:l1:maps:per-minute=u1',
    '  kind        counter',
    '  tenant      acme',
    '  values',
    '    u1',
    '  expires in  61,000 ms',
    '  policy id   5',
    '  used        12,000 units',
    '  failures    none',
    '  shadow      no',
    '  in flight',
    '    none',
    '  policy',
    '    horizon  60,000 ms',
    '  admissions',
    '    - at     2026-01-31T12:00:00Z',
  ]);
  expect(text).toContain('\n      units  3\n    - at ');
  expect(text.split('\n').at(-1)).toBe('    … and 1 more');
});

it('shows that a key never expires', () => {
  const text = keyText({
    key: 'k',
    kind: 'pool',
    name: {},
    expiresInMs: null,
    value: { problem: 'not a pool' },
  });
  expect(text).toContain('\n  expires in  never');
});
