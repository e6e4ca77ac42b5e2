import { type ClientHttp2Session, connect } from 'node:http2';
import type protobuf from 'protobufjs';
import { frameOf } from '#src/rls/grpc/framing.js';
import { rlsType } from '../bench/grpc-load-messages.ts';

const RLS = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
const PATHS = [
  RLS,
  RLS,
  RLS,
  RLS,
  '/grpc.health.v1.Health/Check',
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/x.Y/Z',
];

/**
 * Statuses that a damaged call may end with: those that say what is wrong with it; 14, when a busy node could not look up
 * a tenant in time.
 */
const EXPLAINED: ReadonlySet<string> = new Set(['0', '3', '5', '8', '12', '14']);

/** Calls at once. */
const AT_ONCE = 64;

/** How long one call may take before it counts as one that hangs, ms: no machine is so busy. */
const HANGS_AFTER_MS = 30_000;

/** Numbers from a seed, 0 to `below` - 1, the same ones each time. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export interface FuzzReport {
  /** Calls by the gRPC status, or `http 415`, or `reset`, that they ended with. */
  readonly endings: Map<string, number>;
  /** Calls that ended with a status that explains nothing, or not at all, with the message that was sent, in base64. */
  readonly unexplained: string[];
}

/** Sends damaged calls to a door and says how they ended. */
export class RlsFuzzer {
  private readonly address: string;
  private readonly token: string;
  private readonly random: (below: number) => number;
  private readonly type: protobuf.Type;
  private session: ClientHttp2Session;

  constructor(address: string, token: string, seed: number) {
    this.address = address;
    this.token = token;
    this.random = numbersFrom(seed);
    this.type = rlsType('RateLimitRequest');
    this.session = this.connect();
  }

  async run(calls: number): Promise<FuzzReport> {
    const report: FuzzReport = { endings: new Map(), unexplained: [] };
    let left = calls;
    const worker = async () => {
      while (left-- > 0) {
        const frame = this.frame();
        const path = PATHS[this.random(PATHS.length)] as string;
        const ending = await this.send(path, frame);
        report.endings.set(ending, (report.endings.get(ending) ?? 0) + 1);
        const isExplained = EXPLAINED.has(ending) || ending === 'reset by us' || ending === 'http 415';
        if (!isExplained && report.unexplained.length < 20) {
          report.unexplained.push(`${ending} ${path} ${frame.toString('base64')}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    this.session.close();
    return report;
  }

  private connect(): ClientHttp2Session {
    const session = connect(`http://${this.address}`);
    session.on('error', () => undefined);
    return session;
  }

  /** A message that was right, damaged in some way, or bytes that never were one. */
  private frame(): Buffer {
    const { random } = this;
    let message: Buffer = Buffer.from(this.type.encode(this.type.fromObject(this.request())).finish());
    for (let i = random(4); i > 0; i--) message = this.damaged(message);
    const frame =
      random(20) === 0
        ? Buffer.from(Array.from({ length: random(200) }, () => random(256)))
        : frameOf(message);
    // Now and then the head lies: about the length, or of being compressed.
    if (frame.length > 4 && random(12) === 0) frame[random(5)] = random(256);
    if (frame.length > 4 && random(30) === 0) frame[0] = 1;
    return frame;
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

  private send(path: string, frame: Buffer): Promise<string> {
    if (this.session.destroyed || this.session.closed) this.session = this.connect();
    return new Promise((resolve) => {
      const stream = this.session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': this.random(50) === 0 ? 'text/plain' : 'application/grpc',
        authorization: `Bearer ${this.token}`,
      });
      let ending = 'reset';
      const hanging = setTimeout(() => {
        ending = 'hangs';
        stream.close();
      }, HANGS_AFTER_MS);
      const look = (headers: Record<string, unknown>) => {
        if (headers[':status'] !== undefined && headers[':status'] !== 200)
          ending = `http ${headers[':status']}`;
        if (headers['grpc-status'] !== undefined) ending = String(headers['grpc-status']);
      };
      stream.on('response', look);
      stream.on('trailers', look);
      stream.on('error', () => undefined);
      stream.resume();
      stream.once('close', () => {
        clearTimeout(hanging);
        resolve(ending);
      });
      this.write(stream, frame, () => {
        ending = 'reset by us';
      });
    });
  }

  /** Whole, in pieces, or with the stream reset in the middle. */
  private write(stream: ReturnType<ClientHttp2Session['request']>, frame: Buffer, onReset: () => void): void {
    const how = this.random(12);
    const middle = this.random(frame.length + 1);
    if (how === 0) {
      stream.write(frame.subarray(0, middle));
      stream.end(frame.subarray(middle));
    } else if (how === 1) {
      stream.write(frame.subarray(0, middle), () => {
        onReset();
        stream.close(8);
      });
    } else {
      stream.end(frame);
    }
  }
}
