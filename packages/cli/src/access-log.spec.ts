import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { isOperationName } from '@tollgate/contracts';
import { counterKey, dimensionValue } from '@tollgate/limiter/rules';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  clientKey,
  isClientAddress,
  MAX_LINE_BYTES,
  openLogFile,
  operationOf,
  parseAccessLogLine,
  readLines,
} from './access-log.js';

describe('operation of a request', () => {
  it.each([
    ['/', 'home'],
    ['', 'home'],
    ['?a=b', 'home'],
    ['/?flav=rss20', 'home'],
    ['http://example.com', 'home'],
    ['/shop', 'shop'],
    ['/shop/cart?id=1', 'shop'],
    ['/shopping', 'shopping'],
    ['/style2.css', 'style2.css'],
    ['/Shop', 'Shop'],
    ['/1', 'other'],
    [`/${'x'.repeat(65)}`, 'other'],
    ['*', 'other'],
    ['example.com:443', 'other'],
  ])('%s is %s', (target, operation) => {
    expect(operationOf(target)).toBe(operation);
  });

  it.each([
    ['repeated slashes', '//blog///x', 'blog'],
    ['an encoded letter', '/%62log/', 'blog'],
    ['dots', '/x/../blog/./y', 'blog'],
    ['encoded dots', '/x/%2e%2E/blog/y', 'blog'],
    ['dots above the root', '/../../blog/', 'blog'],
    ['the origin of a proxy request', 'HTTP://example.com/blog/', 'blog'],
  ])('does not let %s change it', (_name, target, operation) => {
    expect(operationOf(target)).toBe(operation);
  });

  it.each([
    ['an escape that is encoded twice', '/%2562log/'],
    ['an encoded slash', '/%2fblog/'],
    ['an escape cut short', '/%6'],
  ])('leaves %s as it is', (_name, target) => {
    expect(operationOf(target)).toBe('other');
  });

  it('is a valid name for every target, and a query never changes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (target, query) => {
        const operation = operationOf(`/${target}`);
        expect(isOperationName(operation)).toBe(true);
        if (!/[?#]/.test(target)) expect(operationOf(`/${target}?${query}`)).toBe(operation);
      }),
    );
  });
});

describe('client address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['64:ff9b::203.0.113.9', '203.0.113.9'],
  ])('counts %s as %s', (address, key) => {
    expect(clientKey(address)).toBe(key);
  });

  it('distinguishes two addresses exactly when the decision plane does', () => {
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4().map((v4) => `::ffff:${v4}`),
      fc.nat(3).map((low) => `2001:db8::${low}`),
    );
    const counter = (ip: string) => counterKey('acme', ':f1:web:ip', [dimensionValue('ip', ip) ?? 'refused']);
    fc.assert(
      fc.property(address, address, (a, b) => {
        expect(isClientAddress(a)).toBe(true);
        expect(clientKey(a) === clientKey(b)).toBe(counter(a) === counter(b));
      }),
      { numRuns: 1000 },
    );
  });
});

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
    ['31 April', '17/May', '31/Apr', 'the time does not exist'],
    ['29 February of another year', '17/May', '29/Feb', 'the time does not exist'],
    ['an invalid month', 'May', 'Mai', 'the time cannot be read'],
    ['hour 24', '10:05:03', '24:05:03', 'the time does not exist'],
    ['no zone', ' +0000]', ']', 'the time has no time zone'],
    ['a connection without a request', 'GET /blog/?a=1 HTTP/1.1', '-', 'no HTTP request'],
    ['TLS on a plain port', 'GET /blog/?a=1 HTTP/1.1', String.raw`\x16\x03\x01`, 'no HTTP request'],
  ])('rejects %s with a reason', (_name, part, by, problem) => {
    expect(parseAccessLogLine(line(part, by))).toEqual({ ok: false, problem });
  });

  it('never throws, and every accepted line has a time and an address', () => {
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

  /** Quadratic time would exceed every time limit of a test. */
  const MANY = 1_000_000;

  it.each([
    ['quotes', '"'.repeat(MANY), false],
    ['opened times', '1.1.1.1 - - [17/May/2015:10:05:03 +0000] "a'.repeat(MANY / 40), false],
    ['spaces', `1.1.1.1 - ${' '.repeat(MANY)}`, false],
    ['spaces in a request', `1.1.1.1 - - [17/May/2015:10:05:03 +0000] "GET ${' '.repeat(MANY)}x`, false],
    [
      'spaces behind a target',
      `1.1.1.1 - - [17/May/2015:10:05:03 +0000] "GET /${' '.repeat(MANY)}x" 200 1`,
      true,
    ],
  ])('parses a million %s without backtracking', (_name, text, ok) => {
    expect(parseAccessLogLine(text).ok).toBe(ok);
  });
});

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const end = at + (sizes[i % sizes.length] ?? 1);
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function collect(text: string, sizes: readonly number[] = [1000]): Promise<(string | null)[]> {
  const lines: (string | null)[] = [];
  for await (const line of readLines(cut(Buffer.from(text), sizes))) lines.push(line);
  return lines;
}

describe('lines of a stream', () => {
  it('are the same for any split of the stream', async () => {
    const text = fc.array(fc.constantFrom('a', 'ü', '\n', '€', ' ')).map((parts) => parts.join(''));
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(text, sizes, async (whole, chunkSizes) => {
        const expected = whole.split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(await collect(whole, chunkSizes)).toEqual(expected);
      }),
    );
  });

  it('end with LF or CRLF, the last one with nothing', async () => {
    expect(await collect('a\r\nb\n\nc')).toEqual(['a', 'b', '', 'c']);
    expect(await collect('')).toEqual([]);
  });

  it('have no byte order mark, also where files were joined', async () => {
    expect(await collect('\uFEFFa\n\uFEFFb', [1])).toEqual(['a', 'b']);
  });

  it('of 64 kB are kept and longer ones skipped, without losing the next', async () => {
    const longest = 'x'.repeat(MAX_LINE_BYTES);
    expect(await collect(`${longest}\n${longest}y\nz\n${'w'.repeat(1_000_000)}`)).toEqual([
      longest,
      null,
      'z',
      null,
    ]);
  });
});

const TEXT = 'a line of a log\n'.repeat(10_000);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-log-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, content: Buffer | string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

async function read(file: string): Promise<{ text: string; share: number }> {
  const log = await openLogFile(file);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of log.chunks) chunks.push(chunk);
    return {
      text: Buffer.concat(chunks).toString(),
      share: log.readBytes() / Math.max(1, log.totalBytes ?? 0),
    };
  } finally {
    await log.close();
  }
}

describe('log file', () => {
  it('is decompressed by its magic bytes, not by its name', async () => {
    expect(await read(write('plain.gz', TEXT))).toEqual({ text: TEXT, share: 1 });
    expect(await read(write('packed.log', gzipSync(TEXT)))).toEqual({ text: TEXT, share: 1 });
    expect(await read(write('zstd.log', zstdCompressSync(TEXT)))).toEqual({ text: TEXT, share: 1 });
  });

  it.each([
    ['bzip2', Buffer.from('BZh91AY'), 'decompress it first (bunzip2)'],
    ['xz', Buffer.from('fd377a585a00', 'hex'), 'decompress it first (unxz)'],
    ['zip', Buffer.from('504b030414', 'hex'), 'unpack it first (unzip)'],
    ['UTF-16', Buffer.from('\uFEFFa log\n', 'utf16le'), 'convert it first (iconv -f UTF-16 -t UTF-8)'],
  ])('in %s is rejected with advice', async (_name, content, advice) => {
    await expect(openLogFile(write('other', content))).rejects.toThrow(advice);
  });

  it.each([
    ['plain', Buffer.from(TEXT)],
    ['packed', gzipSync(TEXT)],
  ])('may be a pipe: %s', async (_name, content) => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', pipe]);
    const [{ text, share }] = await Promise.all([read(pipe), writeFile(pipe, content)]);
    expect(text).toBe(TEXT);
    expect(share).toBe(content.length); // of an unknown whole
  });

  it('of several gzip members is read to its end', async () => {
    const file = write('two.gz', Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]));
    expect((await read(file)).text).toBe('one\ntwo\n');
  });

  it.each([
    ['empty', ''],
    ['of one byte', 'x'],
  ])('that is %s is read', async (_name, text) => {
    expect((await read(write('short', text))).text).toBe(text);
  });

  it('fails after the readable part if truncated', async () => {
    const packed = gzipSync(TEXT);
    const file = write('cut.gz', packed.subarray(0, packed.length - 20));
    await expect(read(file)).rejects.toThrow('unexpected end of file');
  });

  it('that is absent or a folder fails at once', async () => {
    await expect(openLogFile(path.join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(openLogFile(folder)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
