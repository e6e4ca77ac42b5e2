import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { type ChannelCredentials, credentials, status as STATUS } from '@grpc/grpc-js';
import { AS_LOCALHOST, eventually, selfSignedCertificate } from '@tollgate/test-kit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameOf, MAX_MESSAGE_BYTES } from '../src/envoy/grpc/protocol.js';
import { readTls, TlsRenewal } from '../src/envoy/grpc/tls.js';
import { methodOf, RlsClient } from './rls-client.js';
import { descriptor, rlsPolicy } from './rls-policy.js';
import { ServedRls, useRunningRls } from './running-rls.js';

const SERVICE = 'envoy.service.ratelimit.v3.RateLimitService';
const { requestSerialize } = methodOf(SERVICE, 'ShouldRateLimit');
const asked = { domain: 'links', descriptors: [descriptor({ tenant: 'acme', operation: 'free' })] };

describe('compressed messages', () => {
  const rls = useRunningRls(rlsPolicy);
  const message = requestSerialize(asked);

  /** Sends one compressed frame. @returns status and accepted encodings */
  async function ask(encoding: string | undefined, compressed: Buffer): Promise<Record<string, unknown>> {
    const session = connect(`http://${rls.address}`);
    const stream = session.request({
      ':method': 'POST',
      ':path': `/${SERVICE}/ShouldRateLimit`,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${rls.running.token.token}`,
      ...(encoding === undefined ? {} : { 'grpc-encoding': encoding }),
    });
    const frame = frameOf(compressed);
    frame[0] = 1;
    stream.end(frame);
    stream.resume();
    const said = await new Promise<Record<string, unknown>>((resolve, reject) => {
      const take = (headers: Record<string, unknown>) => {
        if ('grpc-status' in headers) resolve(headers);
      };
      stream.on('response', take).on('trailers', take).on('error', reject);
    });
    session.close();
    return { status: said['grpc-status'], accepts: said['grpc-accept-encoding'] };
  }

  it.each([
    ['deflate', 1],
    ['gzip', 2],
  ])('accepts calls of grpc-js compressed with %s', async (_, algorithm) => {
    const client = new RlsClient(rls.address, rls.running.token.token, {
      'grpc.default_compression_algorithm': algorithm,
    });
    expect(await client.ask(asked)).toMatchObject({ overall_code: 'OK' });
    client.close();
  });

  const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
  it.each<[string, string | undefined, Buffer, object]>([
    ['gzip is OK', 'gzip', gzipSync(message), { status: '0' }],
    ['deflate is OK', 'deflate', deflateSync(message), { status: '0' }],
    [
      'rejects an unknown encoding with UNIMPLEMENTED and the supported ones',
      'snappy',
      message,
      { status: '12', accepts: 'identity,gzip,deflate' },
    ],
    [
      'rejects a compressed message without an encoding with INVALID_ARGUMENT',
      undefined,
      gzipSync(message),
      { status: '3' },
    ],
    [
      'rejects a compressed message with identity encoding with INVALID_ARGUMENT',
      'identity',
      message,
      { status: '3' },
    ],
    ['bytes that are not gzip are INVALID_ARGUMENT', 'gzip', message, { status: '3' }],
    ['gzip that is cut off is INVALID_ARGUMENT', 'gzip', gzipSync(message).subarray(0, -9), { status: '3' }],
    [
      'rejects oversized decompressed messages with RESOURCE_EXHAUSTED, without inflating them',
      'gzip',
      bomb,
      { status: '8' },
    ],
  ])('%s', async (_, encoding, compressed, expected) => {
    expect(compressed.length).toBeLessThan(MAX_MESSAGE_BYTES);
    expect(await ask(encoding, compressed)).toMatchObject(expected);
  });
});

describe('TLS', () => {
  const rls = useRunningRls(rlsPolicy);
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-tls-'));
  const server = selfSignedCertificate();
  const caller = selfSignedCertificate('envoy');
  const fileOf = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const files = { cert: fileOf('cert.pem', server.cert), key: fileOf('key.pem', server.key) };
  let open: ServedRls;
  let mutual: ServedRls;

  beforeAll(async () => {
    const { plane, token } = rls.running;
    const clientCa = fileOf('ca.pem', caller.cert);
    open = await ServedRls.start(plane, token.token, {
      http2: { tls: readTls({ ...files, clientCa: undefined }) },
    });
    mutual = await ServedRls.start(plane, token.token, { http2: { tls: readTls({ ...files, clientCa }) } });
  });
  afterAll(async () => {
    await open?.stop();
    await mutual?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Its status: OK is 0. A channel that cannot be made is UNAVAILABLE. */
  async function statusOf({ address }: ServedRls, channel: ChannelCredentials): Promise<number> {
    const client = new RlsClient(address, rls.running.token.token, AS_LOCALHOST, channel);
    try {
      await client.call(methodOf('grpc.health.v1.Health', 'Check'), { service: SERVICE });
      return STATUS.OK;
    } catch (error) {
      return (error as { code: number }).code;
    } finally {
      client.close();
    }
  }
  const trusting = (own?: { cert: string; key: string }) =>
    own === undefined
      ? credentials.createSsl(Buffer.from(server.cert))
      : credentials.createSsl(Buffer.from(server.cert), Buffer.from(own.key), Buffer.from(own.cert));

  it('a client that trusts the certificate is answered; one that does not, or speaks without, is not', async () => {
    expect(await statusOf(open, trusting())).toBe(STATUS.OK);
    expect(await statusOf(open, credentials.createSsl(Buffer.from(caller.cert)))).toBe(STATUS.UNAVAILABLE);
    expect(await statusOf(open, credentials.createInsecure())).toBe(STATUS.UNAVAILABLE);
    expect(await statusOf(open, trusting())).toBe(STATUS.OK);
  });

  it('a renewed certificate is used for new connections, and one that does not fit its key is not', async () => {
    const renewed = selfSignedCertificate();
    const own = { cert: fileOf('renewed.pem', server.cert), key: fileOf('renewed-key.pem', server.key) };
    const { plane, token } = rls.running;
    const tls = readTls({ ...own, clientCa: undefined });
    const served = await ServedRls.start(plane, token.token, { http2: { tls } });
    const logged: string[] = [];
    const logger = pino({}, { write: (line) => void logged.push(JSON.parse(line).msg) });
    const renewal = new TlsRenewal(
      { ...own, clientCa: undefined },
      (one) => served.server.http2.renewTls(one),
      logger,
      20,
    );
    expect(await statusOf(served, trusting())).toBe(STATUS.OK);
    fileOf('renewed.pem', renewed.cert);
    await eventually(() => logged.includes('the certificate that was is still used'));
    expect(await statusOf(served, trusting())).toBe(STATUS.OK);
    fileOf('renewed-key.pem', renewed.key);
    await eventually(() => logged.includes('certificate reloaded'));
    expect(await statusOf(served, trusting())).toBe(STATUS.UNAVAILABLE);
    expect(await statusOf(served, credentials.createSsl(Buffer.from(renewed.cert)))).toBe(STATUS.OK);
    renewal.close();
    await served.stop();
  });

  it('with a client CA, a caller needs a certificate of it', async () => {
    expect(await statusOf(mutual, trusting(caller))).toBe(STATUS.OK);
    expect(await statusOf(mutual, trusting())).toBe(STATUS.UNAVAILABLE);
    expect(await statusOf(mutual, trusting(selfSignedCertificate('somebody')))).toBe(STATUS.UNAVAILABLE);
  });

  it.each([
    ['a file that is missing', { cert: '/nowhere.pem' }, /^RLS_TLS_CERT_FILE \/nowhere\.pem: ENOENT/],
    ['a file that is no certificate', { cert: files.key }, /^RLS_TLS_CERT_FILE, RLS_TLS_KEY_FILE: /],
    [
      'a key of another certificate',
      { key: fileOf('other.pem', caller.key) },
      /^RLS_TLS_CERT_FILE, RLS_TLS_KEY_FILE: .*mismatch/,
    ],
  ])('%s fails the start and is named', (_, over, message) => {
    expect(() => readTls({ ...files, clientCa: undefined, ...over })).toThrow(message);
  });
});
