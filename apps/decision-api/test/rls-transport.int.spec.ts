import { once } from 'node:events';
import { type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { type Metadata, status as STATUS } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { frameOf, MAX_AUTHORIZED_BYTES } from '../src/envoy/grpc/protocol.js';
import { methodOf, RlsClient } from './rls-client.js';
import { descriptor, rlsPolicy } from './rls-policy.js';
import { useRunningRls } from './running-rls.js';

const SERVICE = 'envoy.service.ratelimit.v3.RateLimitService';
const PATH = `/${SERVICE}/ShouldRateLimit`;
const CHECK = methodOf('grpc.health.v1.Health', 'Check');

describe('the gRPC server', () => {
  const rls = useRunningRls(rlsPolicy);
  const asked = { domain: 'links', descriptors: [descriptor({ tenant: 'acme', operation: 'free' })] };
  const shouldRateLimit = methodOf(SERVICE, 'ShouldRateLimit');
  const message = () => frameOf(shouldRateLimit.requestSerialize(asked));

  /** One raw stream, for input that client libraries do not send. */
  const raw = async (
    headers: Record<string, string>,
    send: (stream: ClientHttp2Stream) => void = (stream) => stream.end(message()),
  ) => {
    const session = connect(`http://${rls.address}`);
    const usual = {
      ':method': 'POST',
      ':path': PATH,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${rls.running.token.token}`,
    };
    const stream = session.request({ ...usual, ...headers });
    let all: IncomingHttpHeaders = {};
    stream.on('response', (head) => {
      all = { ...all, ...head };
    });
    stream.on('trailers', (trailers: IncomingHttpHeaders) => {
      all = { ...all, ...trailers };
    });
    stream.on('error', () => undefined);
    stream.resume();
    send(stream);
    await once(stream, 'close');
    session.close();
    return all;
  };

  it('responds with headers, one message and OK trailers', async () => {
    expect(await raw({})).toMatchObject({
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': '0',
    });
  });

  it.each<[string, Record<string, string>, object]>([
    ['another content type is no gRPC', { 'content-type': 'application/json' }, { ':status': 415 }],
    ['another method is no gRPC', { ':method': 'PUT' }, { ':status': 405 }],
    [
      'application/grpc+proto is gRPC',
      { 'content-type': 'application/grpc+proto' },
      { ':status': 200, 'grpc-status': '0' },
    ],
    ['an unknown method is UNIMPLEMENTED', { ':path': `/${SERVICE}/Nothing` }, { 'grpc-status': '12' }],
    ['an unknown service is UNIMPLEMENTED', { ':path': '/x.Y/Z' }, { 'grpc-status': '12' }],
    [
      'the old version of the service is UNIMPLEMENTED',
      { ':path': PATH.replace('v3', 'v2') },
      { 'grpc-status': '12' },
    ],
  ])('%s', async (_, headers, expected) => {
    expect(await raw(headers)).toMatchObject(expected);
  });

  it.each<[string, (stream: ClientHttp2Stream) => void, object]>([
    ['no message is INVALID_ARGUMENT', (stream) => stream.end(), { 'grpc-status': '3' }],
    [
      'two messages are INVALID_ARGUMENT',
      (s) => s.end(Buffer.concat([message(), message()])),
      { 'grpc-status': '3' },
    ],
    ['half a message is INVALID_ARGUMENT', (s) => s.end(message().subarray(0, 9)), { 'grpc-status': '3' }],
    ['half a head is INVALID_ARGUMENT', (s) => s.end(message().subarray(0, 3)), { 'grpc-status': '3' }],
    [
      'bytes that are no message are INVALID_ARGUMENT',
      (s) => s.end(frameOf(Buffer.from([0xff, 0xff]))),
      { 'grpc-status': '3' },
    ],
    [
      'a head that announces more than is read is RESOURCE_EXHAUSTED, before the rest comes',
      (s) => s.write(Buffer.from([0, 0x7f, 0xff, 0xff, 0xff])),
      { 'grpc-status': '8' },
    ],
    [
      'assembles a message that arrives byte by byte',
      (s) => {
        for (const byte of message()) s.write(Buffer.from([byte]));
        s.end();
      },
      { 'grpc-status': '0' },
    ],
  ])('%s', async (_, send, expected) => {
    expect(await raw({}, send)).toMatchObject(expected);
  });

  it('an unknown method is UNIMPLEMENTED to a client of grpc-js', async () => {
    const method = { ...shouldRateLimit, path: `/${SERVICE}/Nothing` };
    await expect(rls.client.call(method, asked)).rejects.toMatchObject({ code: STATUS.UNIMPLEMENTED });
  });

  it('an oversized message ends with RESOURCE_EXHAUSTED, and the connection continues', async () => {
    const entry = descriptor({ tenant: 'acme', operation: 'free', note: 'x'.repeat(MAX_AUTHORIZED_BYTES) });
    await expect(rls.client.ask({ domain: 'links', descriptors: [entry] })).rejects.toMatchObject({
      code: STATUS.RESOURCE_EXHAUSTED,
    });
    expect(await rls.client.ask(asked)).toMatchObject({ overall_code: 'OK' });
  });

  it('reports the status of calls without a message', async () => {
    const metadata: Metadata[] = [];
    await new Promise<void>((resolve, reject) => {
      void rls.client.call(shouldRateLimit, asked, undefined, {}, (call) => {
        call.on('metadata', (head: Metadata) => metadata.push(head));
        call.on('status', ({ code, metadata: trailers }) => {
          metadata.push(trailers);
          return code === STATUS.OK ? resolve() : reject(new Error(`status ${code}`));
        });
      });
    });
    expect(metadata).toHaveLength(2);
  });

  it('5,000 calls over one connection, many at once, are each answered', async () => {
    const answers = await Promise.all(Array.from({ length: 5000 }, () => rls.client.ask(asked)));
    expect(answers.every(({ overall_code }) => overall_code === 'OK')).toBe(true);
  });

  it('answers calls of twenty connections independently', async () => {
    const clients = Array.from(
      { length: 20 },
      () => new RlsClient(rls.address, rls.running.token.token, { 'grpc.use_local_subchannel_pool': 1 }),
    );
    const answers = await Promise.all(
      clients.map((client, i) =>
        client.ask({
          domain: 'links',
          descriptors: [
            descriptor({ tenant: `t${i}`, operation: 'create' }, { hits_addend: { value: (i % 10) + 1 } }),
          ],
        }),
      ),
    );
    expect(answers.map(({ statuses }) => statuses[0]?.limit_remaining)).toEqual(
      clients.map((_, i) => 9 - (i % 10)),
    );
    for (const client of clients) client.close();
  });

  it('connections that end or speak something else in the middle of a call leave the others be', async () => {
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff',
      '\0'.repeat(100),
    ]) {
      const socket = connectTcp(Number(rls.address.split(':')[1]), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume();
      socket.end(bytes, 'latin1');
      await once(socket, 'close');
    }
    const session = connect(`http://${rls.address}`);
    session.on('error', () => undefined);
    session.request({ ':method': 'POST', ':path': PATH, 'content-type': 'application/grpc' });
    await once(session, 'connect');
    session.destroy();
    expect(await rls.client.ask(asked)).toMatchObject({ overall_code: 'OK' });
  });

  it('a thousand calls that are reset as soon as they begin leave the others be', async () => {
    const session = connect(`http://${rls.address}`);
    session.on('error', () => undefined);
    for (let i = 0; i < 1000 && !session.destroyed; i++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': PATH,
        'content-type': 'application/grpc',
      });
      stream.on('error', () => undefined);
      stream.close(constants.NGHTTP2_CANCEL);
    }
    session.close();
    expect(await rls.client.ask(asked)).toMatchObject({ overall_code: 'OK' });
  });

  it('health reports SERVING for server and service, without a token', async () => {
    const none = rls.client.metadata('');
    expect(await rls.client.call(CHECK, { service: '' }, none)).toEqual({ status: 'SERVING' });
    expect(await rls.client.call(CHECK, { service: SERVICE }, none)).toEqual({ status: 'SERVING' });
    await expect(rls.client.call(CHECK, { service: 'x.Y' }, none)).rejects.toMatchObject({
      code: STATUS.NOT_FOUND,
    });
  });
});
