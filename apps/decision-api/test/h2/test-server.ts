import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { RequestSink, RequestStream } from '../../src/envoy/grpc/connection.js';
import { Http2Server, type Http2ServerOptions } from '../../src/envoy/grpc/http2-server.js';
import { RawH2, type Setting } from './raw-client.js';

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

/** A request with this `authorization` authenticates its connection. */
export const TOKEN = 'a token';

/** Larger request bodies are rejected. */
const MAX_BODY_BYTES = 1024 * 1024;

const HEAD = { ':status': 200 };
const OK = { outcome: 'ok' };

/** Collects one request and answers it. */
class TestCall implements RequestSink {
  private readonly parts: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly server: TestServer,
    private readonly stream: RequestStream,
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

  expired(): void {
    this.endWith('late');
  }

  closed(): void {
    this.server.open.delete(this);
  }

  private endWith(outcome: string): void {
    this.stream.respond({ ...HEAD, outcome }, true);
  }

  private finish(): void {
    const body = Buffer.concat(this.parts);
    if (this.path === CALL.each || this.path === CALL.much) this.stream.end(OK);
    else if (body.length === 0) this.endWith('invalid');
    else if (this.path === CALL.hold) this.server.held.push(() => this.answer(body));
    else this.answer(body);
  }

  private answer(body: Buffer): void {
    this.stream.respond(HEAD);
    this.stream.end(OK, body);
  }
}

/** The server on a free port, with an application for tests. */
export class TestServer {
  readonly server: Http2Server;
  /** Requests without a complete response. */
  readonly open = new Set<TestCall>();
  held: (() => void)[] = [];
  port = 0;

  constructor(options: Http2ServerOptions = {}) {
    this.server = new Http2Server({ request: (stream, headers) => this.request(stream, headers) }, options);
  }

  async start(): Promise<void> {
    this.server.server.listen(0, '127.0.0.1');
    await once(this.server.server, 'listening');
    this.port = (this.server.server.address() as AddressInfo).port;
  }

  connect(...values: readonly Setting[]): Promise<RawH2> {
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
    return this.server.close(drainMs);
  }

  private request(stream: RequestStream, headers: IncomingHttpHeaders): RequestSink | undefined {
    const { ':method': method, ':path': path = '', authorization } = headers;
    const refuse = (status: number, outcome: string, detail = '') =>
      stream.respond({ ':status': status, outcome, detail }, true);
    if (method !== 'POST') refuse(405, 'invalid');
    else if (path === CALL.refuse) refuse(200, 'refused', authorization ?? 'none');
    else if (!Object.values<string>(CALL).includes(path)) refuse(200, 'unknown');
    else {
      if (authorization === TOKEN) stream.authenticate();
      const call = new TestCall(this, stream, path);
      this.open.add(call);
      return call;
    }
    return undefined;
  }
}
