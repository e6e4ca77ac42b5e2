import { describe, expect, it } from 'vitest';
import {
  isStopDue,
  MAX_STOP_ATTEMPTS,
  providerStopOf,
  retryStopAt,
  STOP_RETRY_MS,
} from './provider-stops.js';

const NOW = new Date('2030-01-01T00:00:00Z');
const facts = { stopDue: true, stopAttempts: 0, stopRetryAt: null, stopError: null };

describe('cancellation at a provider', () => {
  it('is retried with increasing delays for three days', () => {
    const waits = Array.from({ length: MAX_STOP_ATTEMPTS }, (_, i) => retryStopAt(i + 1, NOW));
    const waitsMs = waits.map((at) => (at === null ? null : at.getTime() - NOW.getTime()));
    expect(waitsMs).toEqual([...STOP_RETRY_MS, null]);
    expect([...STOP_RETRY_MS].sort((a, b) => a - b)).toEqual([...STOP_RETRY_MS]);
    expect(STOP_RETRY_MS.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(3 * 86_400_000);
  });

  it.each([
    ['is due immediately', {}, true],
    [
      'is not due before the retry time',
      { stopAttempts: 1, stopRetryAt: new Date(NOW.getTime() + 1) },
      false,
    ],
    ['is due at the retry time', { stopAttempts: 1, stopRetryAt: NOW }, true],
    ['is not due after the last failed attempt', { stopAttempts: MAX_STOP_ATTEMPTS }, false],
    ['is not due if no cancellation is pending', { stopDue: false }, false],
  ])('%s', (_, more, expected) => {
    expect(isStopDue({ ...facts, ...more }, NOW)).toBe(expected);
  });

  it('reports attempts and the last error', () => {
    expect(providerStopOf({ ...facts, stopDue: false })).toBeNull();
    expect(providerStopOf({ ...facts, stopAttempts: MAX_STOP_ATTEMPTS, stopError: 'No' })).toEqual({
      attempts: MAX_STOP_ATTEMPTS,
      nextAttemptAt: null,
      lastError: 'No',
      isExhausted: true,
    });
  });
});
