import { expect, it } from 'vitest';
import type { Usage } from './api.js';
import { csvName, usageCsv } from './usage-csv.js';

const count = { count: 3, denied: 1, degraded: 0, units: 6 };
const usage: Usage = {
  ...{ tenantKey: 'acme', interval: 'HOUR', timeZone: 'America/New_York', keptSince: '', omittedSeries: 0 },
  ...{ from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z', total: count },
  series: [
    {
      ...{ apiKey: 'chat', operation: 'say "hi", twice', limitName: '', outcome: 'ALLOWED', total: count },
      points: [{ at: '2026-11-20T06:00:00.000Z', ...count, candidateDenied: 2 }],
    },
    {
      ...{ apiKey: '=1+1', operation: null, limitName: null, outcome: null, total: count },
      points: [{ at: '2026-11-20T05:00:00.000Z', ...count, candidateDenied: 2 }],
    },
  ],
};

it('writes points in time order, quotes values and escapes formulas', () => {
  expect(usageCsv(usage).split('\r\n')).toEqual([
    'from_utc,from_local (America/New_York),api,operation,limit,outcome,decisions,denied,units,candidate_denied',
    "2026-11-20T05:00:00.000Z,2026-11-20 00:00:00,'=1+1,,,,3,1,6,2",
    '2026-11-20T06:00:00.000Z,2026-11-20 01:00:00,chat,"say ""hi"", twice",,ALLOWED,3,1,6,2',
    '',
  ]);
  expect(csvName(usage)).toBe('acme-usage-hour-2026-11-20-2026-11-21.csv');
});
