import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAccessLogLine } from './access-log-line.js';

const LINE =
  '83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /blog/?a=1 HTTP/1.1" 200 203023 "http://x/" "Mozilla/5.0"';

/** The line with one part replaced. */
function line(part: string, by: string): string {
  expect(LINE).toContain(part);
  return LINE.replace(part, by);
}

describe('access log line', () => {
  it('reads client, time and target', () => {
    expect(parseAccessLogLine(LINE)).toEqual({
      ok: true,
      entry: { ip: '83.149.9.216', atMs: Date.UTC(2015, 4, 17, 10, 5, 3), target: '/blog/?a=1' },
    });
  });

  it.each([
    ['east of Greenwich', '+0000', '+0530', Date.UTC(2015, 4, 17, 4, 35, 3)],
    ['west of Greenwich', '+0000', '-0800', Date.UTC(2015, 4, 17, 18, 5, 3)],
    ['a leap second', '10:05:03', '10:05:60', Date.UTC(2015, 4, 17, 10, 6, 0)],
    ['29 February of a leap year', '17/May/2015', '29/Feb/2016', Date.UTC(2016, 1, 29, 10, 5, 3)],
  ])('reads the time of a line: %s', (_name, part, by, atMs) => {
    expect(parseAccessLogLine(line(part, by))).toMatchObject({ ok: true, entry: { atMs } });
  });

  it.each([
    ['a user with spaces', '- - [', '- frank smith ['],
    ['no size', '200 203023', '304 -'],
    ['IPv6', '83.149.9.216', '2001:db8::1'],
    ['escaped quotes in the referer', 'http://x/', String.raw`http://\"x\"/\xe4`],
    ['the common format', ' "http://x/" "Mozilla/5.0"', ''],
    ['more fields behind', '"Mozilla/5.0"', '"Mozilla/5.0" 1234 "203.0.113.9"'],
    ['an HTTP/0.9 request', ' HTTP/1.1', ''],
    ['HTTP/2', 'HTTP/1.1', 'HTTP/2.0'],
  ])('accepts %s', (_name, part, by) => {
    expect(parseAccessLogLine(line(part, by))).toMatchObject({ ok: true });
  });

  it.each([
    ['a line cut off inside a field', '"Mozilla/5.0"', '"Mozilla', 'not in Apache combined format'],
    ['a host name for the client', '83.149.9.216', 'crawler.example', 'the client is no IP address'],
    ['an address out of range', '83.149.9.216', '83.149.9.256', 'the client is no IP address'],
    ['an address with a zone', '83.149.9.216', 'fe80::1%eth0', 'the client is no IP address'],
    ['31 April', '17/May', '31/Apr', 'the time cannot be read'],
    ['29 February of another year', '17/May', '29/Feb', 'the time cannot be read'],
    ['a month that is none', 'May', 'Mai', 'the time cannot be read'],
    ['hour 24', '10:05:03', '24:05:03', 'the time cannot be read'],
    ['no zone', ' +0000]', ']', 'the time cannot be read'],
    ['a connection without a request', 'GET /blog/?a=1 HTTP/1.1', '-', 'it holds no HTTP request'],
    ['TLS on a plain port', 'GET /blog/?a=1 HTTP/1.1', String.raw`\x16\x03\x01`, 'it holds no HTTP request'],
  ])('refuses %s and says why', (_name, part, by, problem) => {
    expect(parseAccessLogLine(line(part, by))).toEqual({ ok: false, problem });
  });

  it('never throws, whatever a line holds, and what it accepts has a time and an address', () => {
    const mutated = fc
      .tuple(fc.nat(LINE.length), fc.nat(20), fc.string({ unit: 'binary' }))
      .map(([at, length, text]) => LINE.slice(0, at) + text + LINE.slice(at + length));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), mutated), (text) => {
        const parsed = parseAccessLogLine(text);
        if (!parsed.ok) {
          expect(parsed.problem).not.toBe('');
          return;
        }
        expect(Number.isSafeInteger(parsed.entry.atMs)).toBe(true);
        expect(parsed.entry.target.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['quotes', '"'.repeat(65_000)],
    ['opened times', '1.1.1.1 - - [17/May/2015:10:05:03 +0000] "a'.repeat(1500)],
    ['spaces', `1.1.1.1 - ${' '.repeat(65_000)}`],
    ['spaces in a request', `1.1.1.1 - - [17/May/2015:10:05:03 +0000] "GET ${' '.repeat(64_000)}x`],
    [
      'spaces behind a target',
      `1.1.1.1 - - [17/May/2015:10:05:03 +0000] "GET /${' '.repeat(64_000)}x" 200 1`,
    ],
  ])('takes no longer than 100 ms for the longest line of %s', (_name, text) => {
    const startMs = performance.now();
    parseAccessLogLine(text);
    expect(performance.now() - startMs).toBeLessThan(100);
  });
});
