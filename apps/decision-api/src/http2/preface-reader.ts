import { PREFACE, protocolError } from './protocol.js';

const NOTHING = Buffer.alloc(0);

/** Takes the preface off what arrives on a connection. */
export class PrefaceReader {
  private seen: Buffer | undefined = NOTHING;

  /** @returns what comes behind it. @throws ConnectionError for anything else, as soon as it differs */
  push(chunk: Buffer): Buffer {
    if (this.seen === undefined) return chunk;
    const bytes = Buffer.concat([this.seen, chunk]);
    const length = Math.min(bytes.length, PREFACE.length);
    if (PREFACE.compare(bytes, 0, length, 0, length) !== 0) {
      throw protocolError('this port speaks HTTP/2, from the first byte');
    }
    this.seen = length < PREFACE.length ? bytes : undefined;
    return this.seen === undefined ? bytes.subarray(length) : NOTHING;
  }
}
