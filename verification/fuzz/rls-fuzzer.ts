import { type ClientHttp2Session, connect } from 'node:http2';
import { randomFrom } from '@tollgate/test-kit/random';
import { type DamagedCall, RlsMessages } from './rls-messages.ts';

const RLS = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
const WATCH = '/grpc.health.v1.Health/Watch';
const PATHS = [
  RLS,
  RLS,
  RLS,
  RLS,
  '/grpc.health.v1.Health/Check',
  WATCH,
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/x.Y/Z',
];

/**
 * Expected ends of a damaged call: statuses for invalid calls; 14 when a busy node could not load a tenant in time;
 * our own resets.
 */
const EXPLAINED: ReadonlySet<string> = new Set([
  '0',
  '3',
  '5',
  '8',
  '12',
  '14',
  'http 415',
  'reset by us',
  'watched',
]);

const AT_ONCE = 64;

/** A call is considered hung after this time, ms. */
const HANGS_AFTER_MS = 120_000;

export interface FuzzReport {
  /** Calls by result: gRPC status, `http 415`, `watched` or `reset`. */
  readonly endings: Map<string, number>;
  /** Unexpected results with the sent message in base64. */
  readonly unexplained: string[];
}

export class RlsFuzzer {
  private readonly address: string;
  private readonly token: string;
  private readonly random: (below: number) => number;
  private readonly messages: RlsMessages;
  private session: ClientHttp2Session;

  constructor(address: string, token: string, seed: number) {
    this.address = address;
    this.token = token;
    this.random = randomFrom(seed).below;
    this.messages = new RlsMessages(this.random);
    this.session = this.connect();
  }

  async run(calls: number): Promise<FuzzReport> {
    const report: FuzzReport = { endings: new Map(), unexplained: [] };
    let left = calls;
    const worker = async () => {
      while (left-- > 0) {
        const call = this.messages.next();
        const path = PATHS[this.random(PATHS.length)] as string;
        const ending = await this.send(path, call);
        report.endings.set(ending, (report.endings.get(ending) ?? 0) + 1);
        if (!EXPLAINED.has(ending) && report.unexplained.length < 20) {
          report.unexplained.push(`${ending} ${path} ${call.encoding} ${call.frame.toString('base64')}`);
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

  private send(path: string, { frame, encoding }: DamagedCall): Promise<string> {
    if (this.session.destroyed || this.session.closed) this.session = this.connect();
    return new Promise((resolve) => {
      const stream = this.session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': this.random(50) === 0 ? 'text/plain' : 'application/grpc',
        authorization: `Bearer ${this.token}`,
        ...(encoding === undefined ? {} : { 'grpc-encoding': encoding }),
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
      // A watch call ends only when the client resets it.
      stream.on('data', () => {
        if (path !== WATCH) return;
        ending = 'watched';
        stream.close(8);
      });
      stream.once('close', () => {
        clearTimeout(hanging);
        resolve(ending);
      });
      this.write(stream, frame, () => {
        ending = 'reset by us';
      });
    });
  }

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
