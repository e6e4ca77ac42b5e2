import { sizeOf } from './hpack/field-table.js';
import type { Field } from './hpack/static-table.js';

/** What all fields of a request may count for, by RFC 9113 §6.5.2. */
export const MAX_HEAD_BYTES = 16 * 1024;

/** What a request says before its body. */
export interface RequestHead {
  readonly method: string;
  /** Empty for `CONNECT`. */
  readonly path: string;
  /** By name; those of one name are joined by commas. Octets are characters. */
  readonly fields: ReadonlyMap<string, string>;
  readonly contentLength: number | undefined;
}

/** `malformed`: HTTP/2 does not allow it, RFC 9113 §8.1.1. */
export type HeadFault = 'malformed' | 'too-large';

const PSEUDO: ReadonlySet<string> = new Set([':method', ':scheme', ':authority', ':path']);
/** Fields about a connection, which HTTP/2 has frames for. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade'],
]);
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const BAD_VALUE = /[\0\r\n]|^[ \t]|[ \t]$/;
const LENGTH = /^\d{1,15}$/;

/** Takes the fields of a request, or those behind its body, and says whether they may be. */
export class HeadReader {
  private readonly pseudo = new Map<string, string>();
  private readonly fields = new Map<string, string>();
  private bytes = 0;
  private isMalformed = false;

  constructor(private readonly isTrailer: boolean) {}

  take(field: Field): void {
    this.bytes += sizeOf(field);
    // Whatever comes is decoded, as the table has to be kept; what is too much is not held.
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

  /** In front of all others, each once. */
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
