import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  encodeBlock,
  Http2Server,
  type Http2Stream,
  type RequestHead,
  type StreamSink,
} from '@tollgate/http2';
import { RawH2, type Setting } from '@tollgate/http2/testing';
import { afterAll, beforeAll } from 'vitest';

/** Paths of the {@link TestServer}. */
export const CALL = {
  /** Returns the request body. */
  echo: '/echo',
  /** Returns the request body while it arrives. */
  each: '/each',
  /** As `echo`, once the test calls {@link TestServer.release}. */
  hold: '/hold',
  /** Writes {@link LARGE_ANSWER} for every byte of the request body. */
  much: '/much',
  /** Rejects the request before its body, with its `authorization` in `detail`. */
  refuse: '/refuse',
} as const;

export const LARGE_ANSWER = Buffer.alloc(60_000);

/** Requests that take longer to arrive end with the outcome `late`. */
const REQUEST_TICKS = 10;

/** Larger request bodies are rejected. */
const MAX_BODY_BYTES = 1024 * 1024;

const HEAD = encodeBlock([[':status', '200']]);
const OK = encodeBlock([['outcome', 'ok']]);

/** Collects one request and answers it. */
class TestCall implements StreamSink {
  private readonly parts: Buffer[] = [];
  private bytes = 0;
  ticks = 0;

  constructor(
    private readonly server: TestServer,
    private readonly stream: Http2Stream,
    private readonly path: string,
  ) {}

  data(bytes: Buffer, isLast: boolean): void {
    this.bytes += bytes.length;
    if (this.path === CALL.each || this.path === CALL.much) this.stream.respond(HEAD);
    if (this.path === CALL.each) this.stream.write(Buffer.from(bytes));
    else if (this.path === CALL.much) for (const _ of bytes) this.stream.write(LARGE_ANSWER);
    else if (this.bytes > MAX_BODY_BYTES) this.endWith('invalid');
    else this.parts.push(Buffer.from(bytes));
    if (isLast) this.finish();
  }

  closed(): void {
    this.server.arriving.delete(this);
  }

  late(): void {
    this.endWith('late');
  }

  private endWith(outcome: string): void {
    this.stream.respond(
      encodeBlock([
        [':status', '200'],
        ['outcome', outcome],
      ]),
      true,
    );
  }

  private finish(): void {
    this.server.arriving.delete(this);
    const body = Buffer.concat(this.parts);
    if (this.path === CALL.each || this.path === CALL.much) this.stream.end(OK);
    else if (body.length === 0) this.endWith('invalid');
    else if (this.path === CALL.hold) this.server.held.push(() => this.stream.answer(HEAD, body, OK));
    else this.stream.answer(HEAD, body, OK);
  }
}

/** The package's server on a free port, with an application for tests. */
export class TestServer {
  readonly server: Http2Server;
  readonly arriving = new Set<TestCall>();
  held: (() => void)[] = [];
  port = 0;
  private readonly ticks: NodeJS.Timeout;

  constructor() {
    this.server = new Http2Server({ request: (stream, head) => this.request(stream, head) });
    this.ticks = setInterval(() => {
      for (const call of this.arriving) if (++call.ticks > REQUEST_TICKS) call.late();
    }, 1000);
  }

  async start(): Promise<void> {
    this.server.listener.listen(0, '127.0.0.1');
    await once(this.server.listener, 'listening');
    this.port = (this.server.listener.address() as AddressInfo).port;
  }

  open(...values: readonly Setting[]): Promise<RawH2> {
    return RawH2.open(this.port, ...values);
  }

  /** Requests that wait for {@link release}. */
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
    clearInterval(this.ticks);
    return this.server.close(drainMs);
  }

  private request(stream: Http2Stream, { method, path, fields }: RequestHead): StreamSink | undefined {
    const refuse = (status: string, outcome: string, detail = '') =>
      stream.respond(
        encodeBlock([
          [':status', status],
          ['outcome', outcome],
          ['detail', detail],
        ]),
        true,
      );
    if (method !== 'POST') refuse('405', 'invalid');
    else if (path === CALL.refuse) refuse('200', 'refused', fields.get('authorization') ?? 'none');
    else if (!Object.values<string>(CALL).includes(path)) refuse('200', 'unknown');
    else {
      const call = new TestCall(this, stream, path);
      this.arriving.add(call);
      return call;
    }
    return undefined;
  }
}

/** Registers a server for the tests of a file. */
export function useTestServer(): TestServer {
  const server = new TestServer();
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
}
