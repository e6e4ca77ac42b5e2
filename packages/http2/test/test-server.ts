import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  createHttpServer,
  HeaderBlock,
  type HttpServer,
  type HttpServerOptions,
  type RequestHead,
  type ServerStream,
  type StreamSink,
  type Transport,
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

/** A request with this `authorization` authenticates its connection. */
export const TOKEN = 'a token';

/** Larger request bodies are rejected. */
const MAX_BODY_BYTES = 1024 * 1024;

const HEAD = new HeaderBlock([[':status', '200']]);
const OK = new HeaderBlock([['outcome', 'ok']]);

/** Collects one request and answers it. */
class TestCall implements StreamSink {
  private readonly parts: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly server: TestServer,
    private readonly stream: ServerStream,
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
    this.stream.respond(
      new HeaderBlock([
        [':status', '200'],
        ['outcome', outcome],
      ]),
      true,
    );
  }

  private finish(): void {
    const body = Buffer.concat(this.parts);
    if (this.path === CALL.each || this.path === CALL.much) this.stream.end(OK);
    else if (body.length === 0) this.endWith('invalid');
    else if (this.path === CALL.hold) this.server.held.push(() => this.stream.answer(HEAD, body, OK));
    else this.stream.answer(HEAD, body, OK);
  }
}

export type TestServerOptions = HttpServerOptions & { readonly transport?: Transport };

/** The package's server on a free port, with an application for tests. */
export class TestServer {
  readonly server: HttpServer;
  /** Requests without a complete response. */
  readonly open = new Set<TestCall>();
  held: (() => void)[] = [];
  port = 0;

  constructor({ transport = 'tollgate', ...options }: TestServerOptions = {}) {
    const handler = { request: (stream: ServerStream, head: RequestHead) => this.request(stream, head) };
    this.server = createHttpServer(transport, handler, options);
  }

  async start(): Promise<void> {
    this.server.listener.listen(0, '127.0.0.1');
    await once(this.server.listener, 'listening');
    this.port = (this.server.listener.address() as AddressInfo).port;
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

  private request(stream: ServerStream, { method, path, fields }: RequestHead): StreamSink | undefined {
    const refuse = (status: string, outcome: string, detail = '') =>
      stream.respond(
        new HeaderBlock([
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
      if (fields.get('authorization') === TOKEN) stream.authenticate();
      const call = new TestCall(this, stream, path);
      this.open.add(call);
      return call;
    }
    return undefined;
  }
}

/** Registers a server for the tests of a file. */
export function useTestServer(options?: TestServerOptions): TestServer {
  const server = new TestServer(options);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
}
