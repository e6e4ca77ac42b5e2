import { expect, it } from 'vitest';
import { PreflightLimit } from './preflight-limit.js';

const T0 = Date.UTC(2026, 0, 1);

it('denies preflights of a network beyond 600 in a minute, and no others', () => {
  let nowMs = T0;
  const limit = new PreflightLimit(() => nowMs);
  const answers = Array.from({ length: 601 }, (_, i) => limit.answer(`2001:db8:0:1::${i.toString(16)}`));
  expect(answers.filter(({ success }) => success)).toHaveLength(600);
  expect(answers.at(-1)).toMatchObject({
    success: false,
    reason: 'RATE_EXCEEDED',
    retryAfter: 60,
    remaining: 0,
  });
  expect(limit.answer('2001:db8:0:2::1').success).toBe(true);
  nowMs += 60_000;
  expect(limit.answer('2001:db8:0:1::1')).toMatchObject({ success: true, remaining: 599 });
});
