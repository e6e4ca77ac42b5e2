import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { clientNetwork, parseAddress } from '@tollgate/contracts/addresses';

/** Operations of the demo's `website` API: path groups of the site of the 2015 log. */
export const PATH_GROUPS = [
  'home',
  'blog',
  'presentations',
  'projects',
  'images',
  'files',
  'styles',
  'articles',
  'other',
] as const;

export type PathGroup = (typeof PATH_GROUPS)[number];

const FOLDER = /^\/(blog|presentations|projects|images|files|articles)(?:\/|$)/;

/** Ignores the query, case and spelling variants. A style sheet inside a folder belongs to the folder. */
export function pathGroup(target: string): PathGroup {
  const path = normalizePath(target);
  if (/^\/(?:index\.html?)?$/.test(path)) return 'home';
  const folder = FOLDER.exec(path)?.[1];
  if (folder !== undefined) return folder as PathGroup;
  return /^\/styles?(?:\/|$)|\.css$/.test(path) ? 'styles' : 'other';
}

/** The path as a web server resolves it: no query, single slashes, no dots, lower case. */
function normalizePath(target: string): string {
  const withoutOrigin = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [raw = ''] = withoutOrigin.split(/[?#]/, 1);
  if (raw !== '' && !raw.startsWith('/')) return raw;
  // Decode once: decoding twice would turn `%252e` into a dot. An encoded slash stays part of its segment.
  const decoded = raw.replace(/%([2-7][0-9a-f])/gi, (escaped, hex: string) =>
    hex.toLowerCase() === '2f' ? escaped : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const segments: string[] = [];
  for (const segment of decoded.toLowerCase().split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const isFolder = /\/\.{0,2}$/.test(decoded) && segments.length > 0;
  return `/${segments.join('/')}${isFolder ? '/' : ''}`;
}

/** Whether `text` is an IP address without port and zone. */
export function isClientAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

/** IPv4 unchanged, IPv6 by its /64. @param address as `isClientAddress` accepts */
export function clientKey(address: string): string {
  const key = clientNetwork(address) ?? address;
  return key.includes(':') ? `${key}/64` : key;
}

export interface AccessLogEntry {
  ip: string;
  /** Unix ms; logs have whole seconds. */
  atMs: number;
  /** Path with query, or a whole URL. */
  target: string;
}

export type ParsedLine = { ok: true; entry: AccessLogEntry } | { ok: false; problem: string };

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const LINE = new RegExp(
  String.raw`^(?<client>\S+) \S+ [^"[\]]+ \[(?<time>[^\]]{1,40})\] "(?<request>(?:[^"\\]|\\.)*)" \d{3} (?:\d+|-)` +
    `(?: ${QUOTED} ${QUOTED}(?: .*)?)?$`,
  's',
);
const METHOD = /^[A-Za-z][A-Za-z-]* +/;
const PROTOCOL = /^HTTP\/\d(?:\.\d)?$/;
const TIME =
  /^(?<day>\d{2})\/(?<month>[A-Za-z]{3})\/(?<year>\d{4}):(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}) (?<sign>[+-])(?<zoneHours>\d{2})(?<zoneMinutes>\d{2})$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Parses Apache's combined format, `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i"`, or the common format;
 * ignores additional fields.
 */
export function parseAccessLogLine(line: string): ParsedLine {
  const fields = LINE.exec(line)?.groups;
  if (fields === undefined) return { ok: false, problem: 'not in Apache combined format' };
  const { client = '', time = '', request = '' } = fields;
  if (!isClientAddress(client)) return { ok: false, problem: 'the client is no IP address' };
  const atMs = parseTime(time);
  if (atMs === undefined) return { ok: false, problem: 'the time cannot be read' };
  const target = targetOf(request);
  if (target === undefined) return { ok: false, problem: 'no HTTP request' };
  return { ok: true, entry: { ip: client, atMs, target } };
}

function targetOf(request: string): string | undefined {
  const method = METHOD.exec(request)?.[0];
  if (method === undefined) return undefined;
  // Not by a regular expression, which would be quadratic in the number of spaces.
  const rest = request.slice(method.length).trimEnd();
  const end = rest.lastIndexOf(' ');
  const target = PROTOCOL.test(rest.slice(end + 1)) ? rest.slice(0, Math.max(0, end)).trimEnd() : rest;
  return target === '' ? undefined : target;
}

/** Parses `17/May/2015:10:05:03 +0000` to unix ms; undefined if invalid. */
function parseTime(text: string): number | undefined {
  const fields = TIME.exec(text)?.groups;
  if (fields === undefined) return undefined;
  const number = (name: string) => Number(fields[name]);
  const month = MONTHS.indexOf((fields.month ?? '').toLowerCase());
  const [day, year, hour, minute] = [number('day'), number('year'), number('hour'), number('minute')];
  const [second, zoneHours, zoneMinutes] = [number('second'), number('zoneHours'), number('zoneMinutes')];
  const midnightMs = Date.UTC(year, month, day);
  const isDate = month >= 0 && year >= 100 && new Date(midnightMs).getUTCDate() === day;
  // 60: a leap second is logged as such.
  const isTime = hour < 24 && minute < 60 && second <= 60 && zoneHours <= 14 && zoneMinutes < 60;
  if (!isDate || !isTime) return undefined;
  const zoneSign = fields.sign === '-' ? -1 : 1;
  const zoneMs = zoneSign * (zoneHours * 60 + zoneMinutes) * 60_000;
  return midnightMs + ((hour * 60 + minute) * 60 + second) * 1000 - zoneMs;
}

/** Bounds the memory for any file. */
export const MAX_LINE_BYTES = 64 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Lines of a byte stream; null: longer than {@link MAX_LINE_BYTES}. Invalid UTF-8 becomes U+FFFD. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  const takeLine = (end: Buffer): string | null => {
    const line = restBytes === 0 ? end : Buffer.concat([...rest, end]);
    const tooLong = restBytes + end.length > MAX_LINE_BYTES;
    rest = [];
    restBytes = 0;
    return tooLong ? null : decode(line);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      yield takeLine(chunk.subarray(start, end));
      start = end + 1;
    }
    const open = chunk.subarray(start);
    if (restBytes <= MAX_LINE_BYTES && open.length > 0) rest.push(open);
    restBytes += open.length;
  }
  if (restBytes > 0) yield takeLine(Buffer.alloc(0));
}

function decode(line: Buffer): string {
  const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  return line.toString('utf8', 0, end);
}

/** Small chunks let the progress of a gzip file move smoothly. */
const CHUNK_BYTES = 8 * 1024;

export interface LogFile {
  /** Decompressed bytes. Throws if the file is unreadable or its gzip data are damaged. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Size on disk; undefined for a pipe. */
  readonly totalBytes: number | undefined;
  /** Bytes of the file that were read so far. */
  readBytes(): number;
  close(): Promise<void>;
}

/** Opens a plain or gzip log, or a pipe: the first bytes decide. @throws Error of node:fs */
export async function openLogFile(path: string): Promise<LogFile> {
  const handle = await open(path);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
    const head = await readHead(handle);
    const gunzip = isGzip(head) ? createGunzip() : undefined;
    let storedBytes = 0;
    async function* stored(): AsyncGenerator<Buffer> {
      storedBytes += head.length;
      yield head;
      for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES })) {
        storedBytes += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    }
    return {
      chunks: gunzip === undefined ? stored() : unpack(stored(), gunzip),
      totalBytes: stat.isFile() ? stat.size : undefined,
      readBytes: () => gunzip?.bytesWritten ?? storedBytes,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

// A pipe may return one byte at a time.
async function readHead(handle: FileHandle): Promise<Buffer> {
  const head = Buffer.alloc(2);
  let length = 0;
  while (length < head.length) {
    const { bytesRead } = await handle.read(head, length, head.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return head.subarray(0, length);
}

async function* unpack(packed: AsyncIterable<Buffer>, gunzip: Gunzip): AsyncGenerator<Buffer> {
  const source = Readable.from(packed, { objectMode: false, highWaterMark: CHUNK_BYTES });
  source.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
  } finally {
    source.destroy();
  }
}
