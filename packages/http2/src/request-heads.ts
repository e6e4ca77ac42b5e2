import type { IncomingHttpHeaders } from 'node:http2';
import { CODE, ConnectionError, protocolError } from './frames.js';
import { BlockDecoder, type Field, sizeOf } from './hpack.js';
import { MAX_BLOCK_BYTES, MAX_HEAD_BYTES } from './limits.js';

export interface RequestHead {
  readonly method: string;
  /** Empty for `CONNECT`. */
  readonly path: string;
  /** Repeated fields are joined by commas. One character per octet. */
  readonly fields: ReadonlyMap<string, string>;
  readonly contentLength: number | undefined;
}

export function headOf(headers: IncomingHttpHeaders): RequestHead {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(headers))
    if (!name.startsWith(':')) fields.set(name, [value].flat().join(', '));
  const { ':method': method = '', ':path': path = '', 'content-length': length } = headers;
  return { method, path, fields, contentLength: length === undefined ? undefined : Number(length) };
}

/** `malformed`: see RFC 9113 §8.1.1. */
export type HeadFault = 'malformed' | 'too-large';

const PSEUDO: ReadonlySet<string> = new Set([':method', ':scheme', ':authority', ':path']);
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade'],
]);
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const BAD_VALUE = /[\0\r\n]|^[ \t]|[ \t]$/;
const LENGTH = /^\d{1,15}$/;

export class HeadReader {
  private readonly pseudo = new Map<string, string>();
  private readonly fields = new Map<string, string>();
  private bytes = 0;
  private isMalformed = false;

  constructor(private readonly isTrailer: boolean) {}

  take(field: Field): void {
    this.bytes += sizeOf(field);
    // Decodes every field to keep the table current, but stores none above the bound.
    if (this.bytes > MAX_HEAD_BYTES || this.isMalformed) return;
    this.isMalformed = !(field.name.startsWith(':') ? this.takePseudo(field) : this.takeField(field));
  }

  finish(): RequestHead | HeadFault {
    if (this.bytes > MAX_HEAD_BYTES) return 'too-large';
    const length = this.fields.get('content-length');
    if (this.isMalformed || (length !== undefined && !LENGTH.test(length))) return 'malformed';
    if (!this.isTrailer && !this.isComplete()) return 'malformed';
    return {
      method: this.pseudo.get(':method') ?? '',
      path: this.pseudo.get(':path') ?? '',
      fields: this.fields,
      contentLength: length === undefined ? undefined : Number(length),
    };
  }

  private takePseudo({ name, value }: Field): boolean {
    if (this.isTrailer || this.fields.size > 0 || !PSEUDO.has(name) || this.pseudo.has(name)) return false;
    this.pseudo.set(name, value);
    return !BAD_VALUE.test(value);
  }

  private takeField({ name, value }: Field): boolean {
    if (!NAME.test(name) || OF_CONNECTION.has(name) || BAD_VALUE.test(value)) return false;
    if (name === 'te' && value !== 'trailers') return false;
    const before = this.fields.get(name);
    this.fields.set(name, before === undefined ? value : `${before}, ${value}`);
    return true;
  }

  private isComplete(): boolean {
    const method = this.pseudo.get(':method');
    const path = this.pseudo.get(':path');
    if (method === 'CONNECT') return path === undefined && !this.pseudo.has(':scheme');
    return Boolean(method) && Boolean(this.pseudo.get(':scheme')) && Boolean(path);
  }
}

interface OpenBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly parts: Buffer[];
  bytes: number;
}

export interface WholeBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly bytes: Buffer;
}

/** Joins the frames of a header block and parses its fields. */
export class HeaderBlocks {
  private readonly decoder = new BlockDecoder();
  private open: OpenBlock | undefined;
  private last = { bytes: Buffer.alloc(0), generation: -1, head: 'malformed' as RequestHead | HeadFault };

  /** Whether only a CONTINUATION may follow. */
  get isMidway(): boolean {
    return this.open !== undefined;
  }

  get buffered(): number {
    return this.open?.bytes ?? 0;
  }

  /** @returns undefined: CONTINUATION frames follow */
  begin(block: WholeBlock, isWhole: boolean): WholeBlock | undefined {
    if (isWhole) return block;
    const { stream, isEnd, bytes } = block;
    this.open = { stream, isEnd, parts: [Buffer.from(bytes)], bytes: bytes.length };
    return undefined;
  }

  /** @throws ConnectionError for a wrong stream or an oversized block */
  continue(stream: number, bytes: Buffer, isWhole: boolean): WholeBlock | undefined {
    const { open } = this;
    if (open?.stream !== stream) throw protocolError('CONTINUATION of nothing');
    open.bytes += bytes.length;
    if (open.bytes > MAX_BLOCK_BYTES) {
      throw new ConnectionError(CODE.ENHANCE_YOUR_CALM, `header block exceeds ${MAX_BLOCK_BYTES} bytes`);
    }
    open.parts.push(Buffer.from(bytes));
    if (!isWhole) return undefined;
    this.open = undefined;
    return { stream, isEnd: open.isEnd, bytes: Buffer.concat(open.parts) };
  }

  /** Clients send the same bytes in each call: these are decoded once. @throws ConnectionError */
  requestHead(bytes: Buffer): RequestHead | HeadFault {
    const { last, decoder } = this;
    const { generation } = decoder;
    if (last.generation === generation && last.bytes.equals(bytes)) return last.head;
    const head = this.read(bytes, new HeadReader(false));
    // A block that changes the table decodes differently the next time.
    if (decoder.generation === generation) this.last = { bytes: Buffer.from(bytes), generation, head };
    return head;
  }

  /** @throws ConnectionError */
  trailers(bytes: Buffer): RequestHead | HeadFault {
    return this.read(bytes, new HeadReader(true));
  }

  private read(bytes: Buffer, reader: HeadReader): RequestHead | HeadFault {
    this.decoder.decode(bytes, (field) => reader.take(field));
    return reader.finish();
  }
}
