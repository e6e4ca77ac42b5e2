import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { DoorMetrics } from '../src/metrics/door-metrics.js';
import { frameOf } from '../src/rls/grpc/framing.js';
import { GrpcServer } from '../src/rls/grpc/grpc-server.js';
import type { Method } from '../src/rls/grpc/method.js';
import { GrpcError, STATUS } from '../src/rls/grpc/status.js';
import { RawH2, type Setting } from './raw-h2.js';

/** What the server of {@link H2Server} can be asked. */
export const CALL = {
  /** Answers what was asked. */
  echo: '/test.Calls/Echo',
  /** As `echo`, any number of times in one call. */
  each: '/test.Calls/Each',
  /** As `echo`, when the test lets it: {@link H2Server.release}. */
  hold: '/test.Calls/Hold',
  /** Answers each message, any number of times in one call, with {@link LARGE_ANSWER}. */
  much: '/test.Calls/Much',
  /** Refused, with the `authorization` that it came with as the reason. */
  refuse: '/test.Calls/Refuse',
} as const;

export const LARGE_ANSWER = frameOf(Buffer.alloc(60_000));

/** The door's server, on a free port, with calls of the test's own. */
export class H2Server {
  readonly server: GrpcServer;
  port = 0;
  private held: (() => void)[] = [];

  constructor() {
    this.server = new GrpcServer(this.methods(), pino({ level: 'silent' }), new DoorMetrics());
  }

  async start(): Promise<void> {
    this.server.listener.listen(0, '127.0.0.1');
    await once(this.server.listener, 'listening');
    this.port = (this.server.listener.address() as AddressInfo).port;
  }

  open(...values: readonly Setting[]): Promise<RawH2> {
    return RawH2.open(this.port, ...values);
  }

  /** Calls that wait for {@link release}. */
  get waiting(): number {
    return this.held.length;
  }

  release(): void {
    const { held } = this;
    this.held = [];
    for (const answer of held) answer();
  }

  stop(drainMs = 1000): Promise<void> {
    this.release();
    return this.server.close(drainMs);
  }

  private methods(): ReadonlyMap<string, Method> {
    const open = { authorize: () => undefined, isFull: () => false };
    const echo = (message: Buffer) => frameOf(message);
    return new Map<string, Method>([
      [CALL.echo, { kind: 'unary', ...open, handle: echo }],
      [CALL.each, { kind: 'stream', handle: echo }],
      [CALL.much, { kind: 'stream', handle: () => LARGE_ANSWER }],
      [CALL.hold, { kind: 'unary', ...open, handle: (message) => this.hold(echo(message)) }],
      [
        CALL.refuse,
        {
          kind: 'unary',
          ...open,
          handle: echo,
          authorize: (metadata) => {
            throw new GrpcError(STATUS.UNAUTHENTICATED, metadata.get('authorization') ?? 'none');
          },
        },
      ],
    ]);
  }

  private hold(answer: Buffer): Promise<Buffer> {
    return new Promise((resolve) => this.held.push(() => resolve(answer)));
  }
}

/** Registers a server for the tests of a file. */
export function useH2Server(): H2Server {
  const server = new H2Server();
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
}
