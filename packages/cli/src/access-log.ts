import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { isOperationName } from '@tollgate/contracts';
import { clientNetwork, parseAddress } from '@tollgate/contracts/addresses';
import { readApacheTime } from './log-time.js';

type Unpacker = zlib.Gunzip | zlib.ZstdDecompress;

/** First segment of the path; `home` without one, `other` if it cannot be an operation's name. */
export function operationOf(target: string): string {
  const path = resolvePath(target);
  const [, segment = ''] = path.split('/', 2);
  if (path === '/') return 'home';
  return path.startsWith('/') && isOperationName(segment) ? segment : 'other';
}

/** The path as a web server resolves it: no query, single slashes, no dots. */
function resolvePath(target: string): string {
  const withoutOrigin = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [raw = ''] = withoutOrigin.split(/[?#]/, 1);
  if (raw !== '' && !raw.startsWith('/')) return raw;
  // Decode once: decoding twice would turn `%252e` into a dot. An encoded slash stays part of its segment.
  const decoded = raw.replace(/%([2-7][0-9a-f])/gi, (escaped, hex: string) =>
    hex.toLowerCase() === '2f' ? escaped : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const segments: string[] = [];
  for (const segment of decoded.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
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

/**
 * Parses Apache's combined format, `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i"`, or the common format;
 * ignores additional fields.
 */
export function parseAccessLogLine(line: string): ParsedLine {
  const fields = LINE.exec(line)?.groups;
  if (fields === undefined) return { ok: false, problem: 'not in Apache combined format' };
  const { client = '', time = '', request = '' } = fields;
  if (!isClientAddress(client)) return { ok: false, problem: 'the client is no IP address' };
  const read = readApacheTime(time);
  if (!read.ok) return read;
  const target = targetOf(request);
  if (target === undefined) return { ok: false, problem: 'no HTTP request' };
  return { ok: true, entry: { ip: client, atMs: read.atUs / 1000, target } };
}

/** The target of a request line, `GET /path HTTP/1.1`; undefined if it is none. */
export function targetOf(request: string): string | undefined {
  const method = METHOD.exec(request)?.[0];
  if (method === undefined) return undefined;
  // Not by a regular expression, which would be quadratic in the number of spaces.
  const rest = request.slice(method.length).trimEnd();
  const end = rest.lastIndexOf(' ');
  const target = PROTOCOL.test(rest.slice(end + 1)) ? rest.slice(0, Math.max(0, end)).trimEnd() : rest;
  return target === '' ? undefined : target;
}

/** Bounds the memory for any file. */
export const MAX_LINE_BYTES = 64 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Lines of a byte stream, without byte order marks; null: longer than {@link MAX_LINE_BYTES}. Invalid UTF-8 becomes
 * U+FFFD.
 */
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
  // Also within the stream, where files were joined.
  const start = startsWith(line, BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  return line.toString('utf8', start, end);
}

/** Small chunks let the progress of a gzip file move smoothly. */
const CHUNK_BYTES = 8 * 1024;

export interface LogFile {
  /** Decompressed bytes. Throws if the file is unreadable or its compressed data are damaged. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Size on disk; undefined for a pipe. */
  readonly totalBytes: number | undefined;
  /** Bytes of the file that were read so far. */
  readBytes(): number;
  close(): Promise<void>;
}

/** Opens a plain, gzip or zstd log, or a pipe: the first bytes decide. @throws Error of node:fs, or with advice */
export async function openLogFile(path: string): Promise<LogFile> {
  const handle = await open(path);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
    const head = await readHead(handle);
    const unpacker = unpackerOf(head);
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
      chunks: unpacker === undefined ? stored() : unpack(stored(), unpacker),
      totalBytes: stat.isFile() ? stat.size : undefined,
      readBytes: () => unpacker?.bytesWritten ?? storedBytes,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What cannot be read, by its first bytes, with advice. */
const UNSUPPORTED: readonly [magic: readonly number[], advice: string][] = [
  [[0x42, 0x5a, 0x68], 'it is compressed with bzip2: decompress it first (bunzip2)'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'it is compressed with xz: decompress it first (unxz)'],
  [[0x50, 0x4b, 0x03, 0x04], 'it is a zip archive: unpack it first (unzip)'],
  [[0xff, 0xfe], 'it is UTF-16: convert it first (iconv -f UTF-16 -t UTF-8)'],
  [[0xfe, 0xff], 'it is UTF-16: convert it first (iconv -f UTF-16 -t UTF-8)'],
];
const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];
const HEAD_BYTES = 5;

const startsWith = (bytes: Buffer, magic: readonly number[]): boolean =>
  magic.every((byte, index) => bytes[index] === byte);

function unpackerOf(head: Buffer): Unpacker | undefined {
  const [, advice] = UNSUPPORTED.find(([magic]) => startsWith(head, magic)) ?? [];
  if (advice !== undefined) throw new Error(advice);
  if (startsWith(head, GZIP)) return zlib.createGunzip();
  if (!startsWith(head, ZSTD)) return undefined;
  // Node 22.15 and later.
  if ('createZstdDecompress' in zlib) return zlib.createZstdDecompress();
  throw new Error('it is compressed with zstd, which needs Node 22.15: decompress it first (unzstd)');
}

// A pipe may return one byte at a time.
async function readHead(handle: FileHandle): Promise<Buffer> {
  const head = Buffer.alloc(HEAD_BYTES);
  let length = 0;
  while (length < head.length) {
    const { bytesRead } = await handle.read(head, length, head.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return head.subarray(0, length);
}

async function* unpack(packed: AsyncIterable<Buffer>, unpacker: Unpacker): AsyncGenerator<Buffer> {
  const source = Readable.from(packed, { objectMode: false, highWaterMark: CHUNK_BYTES });
  source.on('error', (error) => unpacker.destroy(error));
  try {
    for await (const chunk of source.pipe(unpacker)) yield chunk as Buffer;
  } finally {
    source.destroy();
  }
}
