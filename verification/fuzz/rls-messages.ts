import { deflateSync, gzipSync } from 'node:zlib';
import type protobuf from 'protobufjs';
import { frameOf } from '../../apps/decision-api/src/envoy/grpc/protocol.js';
import { rlsType } from '../bench/api/grpc-load-messages.ts';

const COMPRESS = { gzip: gzipSync, deflate: deflateSync };
const ENCODINGS = ['gzip', 'deflate', 'identity', 'br', 'gzip,deflate', ''];

export interface DamagedCall {
  readonly frame: Buffer;
  readonly encoding: string | undefined;
}

/** Envoy's requests, most of them damaged, some compressed. */
export class RlsMessages {
  private readonly random: (below: number) => number;
  private readonly type: protobuf.Type;

  constructor(random: (below: number) => number) {
    this.random = random;
    this.type = rlsType('RateLimitRequest');
  }

  next(): DamagedCall {
    const { random } = this;
    let message: Buffer = Buffer.from(this.type.encode(this.type.fromObject(this.request())).finish());
    for (let i = random(4); i > 0; i--) message = this.damaged(message);
    if (random(6) === 0) return this.compressed(message);
    const frame =
      random(20) === 0
        ? Buffer.from(Array.from({ length: random(200) }, () => random(256)))
        : frameOf(message);
    // Sometimes the frame head has a wrong length or compression flag.
    if (frame.length > 4 && random(12) === 0) frame[random(5)] = random(256);
    if (frame.length > 4 && random(30) === 0) frame[0] = 1;
    return { frame, encoding: random(20) === 0 ? ENCODINGS[random(ENCODINGS.length)] : undefined };
  }

  /** Compressed correctly, damaged, with a wrong encoding, or as a decompression bomb. */
  private compressed(message: Buffer): DamagedCall {
    const { random } = this;
    const encoding = random(2) === 0 ? 'gzip' : 'deflate';
    const large = random(12) === 0 ? Buffer.concat([message, Buffer.alloc(random(300_000))]) : message;
    let bytes: Buffer = COMPRESS[encoding](large);
    if (random(3) === 0) bytes = this.damaged(bytes);
    const frame = frameOf(bytes);
    if (random(12) !== 0) frame[0] = 1;
    return { frame, encoding: random(8) === 0 ? ENCODINGS[random(ENCODINGS.length)] : encoding };
  }

  private request(): object {
    const { random } = this;
    const word = () =>
      [
        'tenant',
        'operation',
        'acme',
        'create',
        'list',
        't1',
        'user',
        'key',
        'tgk_live_x',
        '',
        '\u{1f600}',
        '__proto__',
      ][random(12)];
    const descriptors = Array.from({ length: random(4) }, () => ({
      entries: [
        { key: 'tenant', value: random(3) === 0 ? word() : `t${random(20)}` },
        { key: 'operation', value: random(3) === 0 ? word() : ['create', 'remove', 'watch'][random(3)] },
        ...Array.from({ length: random(3) }, () => ({ key: word(), value: word() })),
      ],
      ...(random(4) === 0 ? { limit: { requestsPerUnit: random(100), unit: random(9) } } : {}),
      ...(random(4) === 0 ? { hitsAddend: { value: random(3) === 0 ? random(2 ** 31) : random(4) } } : {}),
      ...(random(6) === 0 ? { isNegativeHits: true } : {}),
    }));
    return { domain: random(10) === 0 ? word() : 'links', descriptors, hitsAddend: random(4) };
  }

  private damaged(message: Buffer): Buffer {
    const { random } = this;
    const at = random(message.length + 1);
    const some = Buffer.from(Array.from({ length: random(12) }, () => random(256)));
    switch (random(5)) {
      case 0:
        return message.subarray(0, at);
      case 1:
        return Buffer.concat([message.subarray(0, at), some, message.subarray(at)]);
      case 2:
        return Buffer.concat([message.subarray(0, at), message.subarray(at + 1 + random(6))]);
      case 3:
        return Buffer.concat([message, message.subarray(at)]);
      default: {
        const copy = Buffer.from(message);
        if (at < copy.length) copy[at] = random(256);
        return copy;
      }
    }
  }
}
