import { describe, expect, it } from 'vitest';
import { operationOf, parseLogLine } from './log-formats.js';

const AT_US = Date.UTC(2026, 10, 1, 10, 5, 3) * 1000;

describe('log formats', () => {
  it.each(['apache', 'nginx'] as const)('reads the combined format (%s)', (format) => {
    const line = '203.0.113.9 - - [01/Nov/2026:10:05:03 +0000] "GET /blog/1?a=b HTTP/1.1" 200 1 "-" "-"';
    expect(parseLogLine(line, format)).toEqual({
      atUs: AT_US,
      operation: 'blog',
      subject: { ip: '203.0.113.9' },
    });
  });

  it('reads lines of an Application Load Balancer with microseconds', () => {
    const line =
      'https 2026-11-01T10:05:03.186641Z app/lb/1 2001:db8::1:2817 10.0.0.1:80 0.0 0.0 0.0 200 200 34 366 "GET https://example.com:443/images/a.png HTTP/1.1" "curl" - -';
    expect(parseLogLine(line, 'alb')).toEqual({
      atUs: AT_US + 186_641,
      operation: 'images',
      subject: { ip: '2001:db8::1' },
    });
  });

  it('reads JSON lines', () => {
    const line = {
      time: '2026-11-01T10:05:03.250Z',
      tenant: 'acme',
      path: '/',
      ip: '203.0.113.9',
      subject: { user: 'u1' },
      cost: 2,
    };
    expect(parseLogLine(JSON.stringify(line), 'json')).toEqual({
      atUs: AT_US + 250_000,
      tenant: 'acme',
      operation: 'home',
      subject: { ip: '203.0.113.9', user: 'u1' },
      cost: 2,
    });
    expect(parseLogLine('{"time":1000.5,"operation":"login"}', 'json')).toMatchObject({
      atUs: 1_000_500,
      operation: 'login',
      subject: {},
    });
  });

  it.each([
    ['apache', 'broken'],
    ['alb', 'http yesterday app/lb/1 203.0.113.9:1 "GET / HTTP/1.1"'],
    ['json', '{"time":'],
    ['json', '{"operation":"login"}'],
    ['json', '{"time":"tomorrow"}'],
  ] as const)('returns undefined for a malformed line (%s)', (format, line) => {
    expect(parseLogLine(line, format)).toBeUndefined();
  });

  it.each([
    ['/', 'home'],
    ['//blog/x', 'blog'],
    ['https://example.com/files/a', 'files'],
    ['/%2e%2e/etc', 'other'],
    ['?a=b', 'home'],
  ])('takes the operation of %s from its first segment', (target, operation) => {
    expect(operationOf(target)).toBe(operation);
  });
});
