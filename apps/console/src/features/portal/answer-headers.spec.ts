import { describe, expect, it } from 'vitest';
import { answerHeaders } from './answer-headers.js';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const MINUTE = { name: 'create-minute', limit: 10, window: 60, remaining: 7, reset: NOW + 12_400 };
const DAY = { name: 'get-day', limit: 100, window: 86_400, remaining: 40, reset: NOW - 5 };

describe('rate limit headers', () => {
  it('equal those of the decision API', () => {
    expect(answerHeaders([MINUTE, DAY], NOW)).toEqual({
      'RateLimit-Policy': '"create-minute";q=10;w=60, "get-day";q=100;w=86400',
      RateLimit: '"create-minute";r=7;t=13, "get-day";r=40;t=0',
    });
  });

  it('contain Retry-After when denied', () => {
    expect(answerHeaders([MINUTE], NOW, MINUTE)).toEqual({
      'RateLimit-Policy': '"create-minute";q=10;w=60',
      RateLimit: '"create-minute";r=0;t=13',
      'Retry-After': '13',
    });
  });
});
