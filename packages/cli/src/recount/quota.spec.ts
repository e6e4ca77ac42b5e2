import { describe, expect, it } from 'vitest';
import { limitOf } from '../../test/limits.js';
import { quotaRecount } from './quota.js';
import { NOTHING_FOUND } from './recount-rule.js';

const policy = limitOf('quota', { limit: 2, period: 'day' });

/** An admission at an instant, in the period that ends at another. */
function admitted(at: string, resetsAt: string) {
  const sentMs = Date.parse(at);
  const told = { limit: policy.name, client: 'a', revision: 1, limitMax: 2, windowMs: 86_400_000, cost: 1 };
  return { ...told, sentMs, receivedMs: sentMs + 4, resetMs: Date.parse(resetsAt), policy };
}

const judge = (...charges: ReturnType<typeof admitted>[]) => quotaRecount.judge(charges, 5);

// Berlin, whose clocks go back on 25 October 2026: that day has 25 hours.
const SATURDAY = '2026-10-25T00:00:00+02:00';
const SUNDAY = '2026-10-26T00:00:00+01:00';

describe('recount of a quota', () => {
  it('counts each period by itself, whatever its zone and however long its day', () => {
    const charges = [
      admitted('2026-10-24T23:59:00+02:00', SATURDAY),
      admitted('2026-10-24T23:59:01+02:00', SATURDAY),
      admitted('2026-10-25T00:00:00+02:00', SUNDAY),
      admitted('2026-10-25T02:30:00+01:00', SUNDAY),
    ];
    expect(judge(...charges)).toEqual(NOTHING_FOUND);
    const verdict = judge(...charges, admitted('2026-10-25T23:00:00+01:00', SUNDAY));
    expect(verdict).toMatchObject({ overAdmitted: 1, contradictions: 0 });
    expect(verdict.finding).toBe(
      '3 admitted in the window that ends at 2026-10-25T23:00:00.000Z; the limit is 2',
    );
  });

  it.each([
    ['is no midnight anywhere', '2026-10-25T00:01:00+02:00'],
    ['was over before the request was sent', '2026-10-24T00:00:00+02:00'],
    ['is further away than a day is long', '2026-10-26T03:00:00+01:00'],
  ])('does not believe a period whose end %s', (_title, resetsAt) => {
    expect(judge(admitted('2026-10-24T12:00:00+02:00', resetsAt)).contradictions).toBe(1);
  });

  it('finds days that overlap: a counter that was forgotten', () => {
    const other = admitted('2026-10-24T12:00:00+02:00', '2026-10-24T12:15:00+02:00');
    expect(judge(admitted('2026-10-24T12:00:00+02:00', SATURDAY), other).contradictions).toBe(1);
  });
});
