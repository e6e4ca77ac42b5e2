import { describe, expect, it } from 'vitest';
import { type AnswerInHeaders, HEADER_STYLES, rateLimitHeaders } from './headers.js';

const NOW_MS = 1_767_225_600_000;

const minute = { name: 'minute', limit: 10, remaining: 3, reset: NOW_MS + 29_100, window: 60 };
const day = { name: 'day', limit: 1000, remaining: 400, reset: NOW_MS + 40_000_000, window: 86_400 };
const allowed: AnswerInHeaders = { success: true, retryAfter: 0, policy: 'minute', policies: [minute, day] };
const refused: AnswerInHeaders = {
  success: false,
  retryAfter: 12,
  policy: 'minute',
  policies: [{ ...minute, remaining: 0 }, day],
};

describe('rate-limit headers', () => {
  it('writes every limit by name in draft 11, or the styles of the API', () => {
    expect(rateLimitHeaders(allowed, NOW_MS)).toEqual({
      'RateLimit-Policy': '"minute";q=10;w=60, "day";q=1000;w=86400',
      RateLimit: '"minute";r=3;t=30, "day";r=400;t=40000',
    });
  });

  it('writes the unit of a limit of requests in flight, which has no window', () => {
    const policies = [{ name: 'slots', limit: 16, remaining: 15, reset: NOW_MS + 30_000, window: 0 }];
    expect(rateLimitHeaders({ ...allowed, policies }, NOW_MS)).toEqual({
      'RateLimit-Policy': '"slots";q=16;qu="concurrent-requests"',
      RateLimit: '"slots";r=15;t=30',
    });
  });

  it('writes the binding limit in the older triples', () => {
    expect(rateLimitHeaders(allowed, NOW_MS, ['draft-3'])).toEqual({
      'RateLimit-Limit': '10, 10;w=60, 1000;w=86400',
      'RateLimit-Remaining': '3',
      'RateLimit-Reset': '30',
    });
    expect(rateLimitHeaders(allowed, NOW_MS, ['x-ratelimit'])).toEqual({
      'X-RateLimit-Limit': '10',
      'X-RateLimit-Remaining': '3',
      'X-RateLimit-Reset': String(Math.ceil((NOW_MS + 29_100) / 1000)),
    });
  });

  it('writes the retry time of the answer in every style', () => {
    expect(rateLimitHeaders(refused, NOW_MS, HEADER_STYLES)).toMatchObject({
      'Retry-After': '12',
      RateLimit: '"minute";r=0;t=12, "day";r=400;t=40000',
      'RateLimit-Reset': '12',
      'X-RateLimit-Retry-After': '12',
    });
  });

  it('omits Retry-After if waiting does not help, and all headers without styles', () => {
    expect(rateLimitHeaders({ ...refused, retryAfter: null }, NOW_MS)).not.toHaveProperty('Retry-After');
    expect(rateLimitHeaders(allowed, NOW_MS, [])).toEqual({});
    expect(rateLimitHeaders(refused, NOW_MS, [])).toEqual({ 'Retry-After': '12' });
  });

  it('omits hidden, shadow and candidate limits and falls back to the nearest other limit', () => {
    const policies = [
      { ...minute, inHeaders: false as const },
      { ...minute, name: 'shade', mode: 'shadow' as const },
      { ...minute, name: 'day', mode: 'candidate' as const },
      { ...day, name: 'week' },
      day,
    ];
    const headers = rateLimitHeaders({ ...allowed, policies }, NOW_MS, HEADER_STYLES);
    expect(headers['RateLimit-Policy']).toBe('"week";q=1000;w=86400, "day";q=1000;w=86400');
    expect(headers['X-RateLimit-Limit']).toBe('1000');
  });

  it('omits the length of windows below one second', () => {
    const policies = [{ ...minute, window: 0.25 }];
    expect(rateLimitHeaders({ ...allowed, policies }, NOW_MS)['RateLimit-Policy']).toBe('"minute";q=10');
  });
});
