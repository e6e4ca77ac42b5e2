import { describe, expect, it } from 'vitest';
import { type LogFormat, type LoggedLine, lineReader } from './log-formats.js';

const AT_US = Date.UTC(2026, 10, 1, 10, 5, 3) * 1000;

/** What each line of a log is; undefined: it describes others. */
function readAll(format: LogFormat, ...lines: string[]): (LoggedLine | undefined)[] {
  const read = lineReader(format);
  return lines.map((line) => read(line));
}

function request(format: LogFormat, ...lines: string[]) {
  const last = readAll(format, ...lines).at(-1);
  if (!last?.ok) throw new Error(`not read: ${last?.problem}`);
  return last.request;
}

function problem(format: LogFormat, ...lines: string[]): string {
  const last = readAll(format, ...lines).at(-1);
  if (last === undefined || last.ok) throw new Error('read without a problem');
  return last.problem;
}

const json = (fields: object) => JSON.stringify(fields);
const GET_BLOG = { atUs: AT_US, operation: 'blog', subject: { ip: '203.0.113.9' } };

const CLOUDFRONT = [
  '#Version: 1.0',
  '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(User-Agent)',
];
const IIS = [
  '#Software: Microsoft Internet Information Services 10.0',
  '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status',
];
const CADDY = {
  level: 'info',
  ts: AT_US / 1e6,
  logger: 'http.log.access',
  request: { remote_ip: '10.0.0.1', client_ip: '203.0.113.9', method: 'GET', uri: '/blog/1' },
};
const ENVOY = '"GET /blog/1 HTTP/2" 200 - 154 0 226 100';

describe('requests of each format', () => {
  it.each<[string, LogFormat, string[]]>([
    [
      'Apache',
      'apache',
      ['203.0.113.9 - - [01/Nov/2026:10:05:03 +0000] "GET /blog/1?a=b HTTP/1.1" 200 1 "-" "-"'],
    ],
    [
      'nginx, in another zone',
      'nginx',
      ['203.0.113.9 - - [01/Nov/2026:15:35:03 +0530] "GET /blog/1 HTTP/1.1" 200 1'],
    ],
    [
      'CloudFront',
      'cloudfront',
      [...CLOUDFRONT, '2026-11-01\t10:05:03\tLHR3\t1\t203.0.113.9\tGET\tx.net\t/blog/1\t200\tcurl'],
    ],
    ['IIS', 'iis', [...IIS, '2026-11-01 10:05:03 10.0.0.1 GET /blog/1 a=b 443 - 203.0.113.9 curl 200']],
    [
      'IIS after a change of columns',
      'iis',
      [...IIS, '#Fields: date time c-ip cs-uri-stem', '2026-11-01 10:05:03 203.0.113.9 /blog/1'],
    ],
    ['Caddy', 'caddy', [json(CADDY)]],
    [
      'Caddy before 2.5',
      'caddy',
      [json({ ts: '2026-11-01T10:05:03.000Z', request: { remote_addr: '203.0.113.9:4711', uri: '/blog' } })],
    ],
    [
      'Traefik',
      'traefik',
      [
        '203.0.113.9 - - [01/Nov/2026:10:05:03 +0000] "GET /blog/1 HTTP/1.1" 200 1 "-" "-" 7 "shop@file" "http://10.0.0.1:80" 3ms',
      ],
    ],
    [
      'Traefik, JSON',
      'traefik',
      [
        json({
          ClientHost: '203.0.113.9',
          RequestPath: '/blog/1',
          StartUTC: '2026-11-01T10:05:03Z',
          time: '2026-11-01T10:05:04Z',
        }),
      ],
    ],
    [
      'Envoy',
      'envoy',
      [
        `[2026-11-01T10:05:03.000Z] ${ENVOY} "198.51.100.7, 203.0.113.9" "curl" "id" "shop" "tcp://10.0.2.1:80"`,
      ],
    ],
    [
      'Istio',
      'envoy',
      [
        `[2026-11-01T10:05:03.000Z] "GET /blog/1 HTTP/2" 200 - via_upstream - "-" 0 5 1 1 "203.0.113.9" "curl" "id" "shop" "10.0.2.1:80" inbound|80|| 10.0.2.1:80`,
      ],
    ],
    [
      'Envoy, JSON',
      'envoy',
      [
        json({
          start_time: '2026-11-01T10:05:03.000Z',
          path: '/blog/1',
          x_forwarded_for: null,
          downstream_remote_address: '203.0.113.9:4711',
        }),
      ],
    ],
    ['JSON', 'json', [json({ time: '2026-11-01T10:05:03Z', path: '/blog/1', ip: '203.0.113.9' })]],
  ])('%s', (_name, format, lines) => {
    expect(request(format, ...lines)).toMatchObject(GET_BLOG);
  });

  it('reads lines of an Application Load Balancer with microseconds', () => {
    const line =
      'https 2026-11-01T10:05:03.186641Z app/lb/1 2001:db8::1:2817 10.0.0.1:80 0.0 0.0 0.0 200 200 34 366 "GET https://example.com:443/images/a.png HTTP/1.1" "curl" - -';
    expect(request('alb', line)).toEqual({
      atUs: AT_US + 186_641,
      operation: 'images',
      subject: { ip: '2001:db8::1' },
    });
  });

  it('reads requests of an unknown client without an address', () => {
    const line = `[2026-11-01T10:05:03.000Z] ${ENVOY} "-" "curl" "id" "shop" "tcp://10.0.2.1:80"`;
    expect(request('envoy', line).subject).toEqual({});
  });
});

describe('JSON lines', () => {
  const ENTRY = { time: '2026-11-01T10:05:03Z', path: '/' };

  it('have fields of their own for everything that a decision depends on', () => {
    const fields = { ...ENTRY, tenant: 'acme', ip: '203.0.113.9', subject: { user: 'u1' }, cost: 2 };
    expect(request('json', json(fields))).toEqual({
      atUs: AT_US,
      tenant: 'acme',
      operation: 'home',
      subject: { ip: '203.0.113.9', user: 'u1' },
      cost: 2,
    });
    expect(request('json', json({ ...ENTRY, operation: 'login' })).operation).toBe('login');
  });

  it.each([
    ['seconds', AT_US / 1e6],
    ['seconds with a fraction', AT_US / 1e6 + 0.25],
    ['milliseconds', AT_US / 1e3],
    ['microseconds', AT_US],
    ['nanoseconds', AT_US * 1000],
    ['seconds as a text', `${AT_US / 1e6}.000`],
    ['an offset', '2026-11-01T15:35:03+05:30'],
  ])('may have the time in %s', (_name, time) => {
    expect(Math.floor(request('json', json({ ...ENTRY, time })).atUs / 1e6)).toBe(AT_US / 1e6);
  });

  it('may have null for what is missing, and numbers for identifiers', () => {
    const empty = { tenant: null, operation: null, path: null, ip: null, subject: null, cost: null };
    expect(request('json', json({ ...ENTRY, ...empty }))).toMatchObject({ operation: 'home', subject: {} });
    const numbers = { tenant: 7, subject: { user: 42, org: null } };
    expect(request('json', json({ ...ENTRY, ...numbers }))).toMatchObject({
      tenant: '7',
      subject: { user: '42' },
    });
  });

  it('have no identifier that JSON would round', () => {
    const line = '{"time":"2026-11-01T10:05:03Z","subject":{"user":12345678901234567890}}';
    expect(problem('json', line)).toBe('subject.user: is not an exact number: log it as a text');
  });
});

describe('malformed lines are rejected with a reason', () => {
  it.each<[string, LogFormat, string[], string]>([
    ['no log', 'apache', ['broken'], 'not in Apache combined format'],
    [
      'a time without a zone',
      'apache',
      ['203.0.113.9 - - [01/Nov/2026:10:05:03] "GET / HTTP/1.1" 200 1'],
      'the time has no time zone',
    ],
    ['no load balancer', 'alb', ['http yesterday'], 'not in the format of a load balancer'],
    [
      'a word for the time',
      'alb',
      ['http yesterday app/lb/1 203.0.113.9:1 "GET / HTTP/1.1"'],
      'the time cannot be read',
    ],
    [
      'no line with columns',
      'cloudfront',
      ['2026-11-01\t10:05:03\t203.0.113.9'],
      'no line #Fields: before it',
    ],
    ['a missing column', 'iis', [...IIS, '2026-11-01 10:05:03'], 'other columns than in the line #Fields:'],
    ['no date', 'iis', ['#Fields: time c-ip', '10:05:03 203.0.113.9'], 'no columns date and time'],
    ['no request', 'caddy', [json({ ts: 1, msg: 'started' })], 'request: Invalid input'],
    [
      'a client that is no address',
      'json',
      [json({ time: 1.8e9, ip: 'unknown' })],
      'the client is no IP address',
    ],
    ['half an object', 'json', ['{"time":'], 'not JSON'],
    ['no object', 'json', ['null'], 'not a JSON object'],
    ['no time', 'json', ['{"operation":"login"}'], 'time: is neither a text nor a number'],
    ['another word for the time', 'json', ['{"time":"tomorrow"}'], 'the time cannot be read'],
    ['a local time', 'json', [json({ time: '2026-11-01T10:05:03' })], 'the time has no time zone'],
    ['30 February', 'json', [json({ time: '2026-02-30T10:05:03Z' })], 'the time does not exist'],
    ['hour 24', 'json', [json({ time: '2026-11-01T24:00:00Z' })], 'the time does not exist'],
    [
      'a time of no unit',
      'json',
      [json({ time: 1000.5 })],
      'the time is not in s, ms, µs or ns of the years 2000 to 2099',
    ],
  ])('%s (%s)', (_name, format, lines, expected) => {
    expect(problem(format, ...lines)).toContain(expected);
  });
});
