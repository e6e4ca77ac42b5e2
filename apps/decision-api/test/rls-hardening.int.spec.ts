import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { status as STATUS } from '@grpc/grpc-js';
import { selfSignedCertificate } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameOf } from '../src/envoy/grpc/protocol.js';
import { MAX_PUBLIC_CALLS } from '../src/envoy/grpc/server.js';
import { readTls } from '../src/envoy/grpc/tls.js';
import { block } from './h2/hpack.js';
import { FLAG, frame, RawH2, SETTING, TYPE } from './h2/raw-client.js';
import { methodOf } from './rls-client.js';
import { descriptor, rlsPolicy } from './rls-policy.js';
import { ServedRls, useRunningRls } from './running-rls.js';

const CHECK = methodOf('grpc.health.v1.Health', 'Check');
const asked = { domain: 'links', descriptors: [descriptor({ tenant: 'acme', operation: 'free' })] };
const head = block([
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', CHECK.path],
  [':authority', 'localhost'],
  ['content-type', 'application/grpc'],
]);

describe('gRPC server', () => {
  const rls = useRunningRls(rlsPolicy);
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-hardening-'));
  const server = selfSignedCertificate();
  const caller = selfSignedCertificate('envoy');
  const fileOf = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const files = { cert: fileOf('cert.pem', server.cert), key: fileOf('key.pem', server.key) };
  let plain: ServedRls;
  let secure: ServedRls;
  let optional: ServedRls;

  beforeAll(async () => {
    const { plane, token } = rls.running;
    const clientCa = fileOf('ca.pem', caller.cert);
    plain = await ServedRls.start(plane, token.token, { reflection: false });
    secure = await ServedRls.start(plane, token.token, {
      http2: { tls: readTls({ ...files, clientCa: undefined }) },
    });
    optional = await ServedRls.start(plane, token.token, {
      http2: { tls: readTls({ ...files, clientCa, clientCert: 'optional' }) },
    });
  });
  afterAll(async () => {
    for (const served of [plain, secure, optional]) await served?.stop();
    rmSync(folder, { recursive: true });
  });

  const portOf = ({ address }: ServedRls) => Number(address.split(':')[1]);

  it('answers callers while unauthenticated peers hold the responses of 1,000 health checks', async () => {
    const held: RawH2[] = [];
    for (let c = 0; c < 10; c++) {
      const connection = await RawH2.open(portOf(plain), [SETTING.INITIAL_WINDOW_SIZE, 0]);
      for (let i = 0; i < 100; i++)
        connection.send(
          frame(TYPE.HEADERS, FLAG.END_HEADERS, 1 + 2 * i, head),
          frame(TYPE.DATA, FLAG.END_STREAM, 1 + 2 * i, frameOf(Buffer.alloc(0))),
        );
      await connection.until(() => connection.frames.some(({ stream }) => stream === 199));
      held.push(connection);
    }
    expect(await plain.client.ask(asked)).toMatchObject({ overall_code: 'OK' });
    expect(await plain.client.call(CHECK, { service: '' })).toEqual({ status: 'SERVING' });
    for (const connection of held) connection.close();
  });

  it('answers callers while health checks that never arrive use up the bound of public methods', async () => {
    const held: RawH2[] = [];
    for (let left = MAX_PUBLIC_CALLS; left > 0; left -= 100) {
      const connection = await RawH2.open(portOf(plain));
      for (let i = 0; i < Math.min(left, 100); i++)
        connection.send(frame(TYPE.HEADERS, FLAG.END_HEADERS, 1 + 2 * i, head));
      await connection.settled();
      held.push(connection);
    }
    const check = () => plain.client.call(CHECK, { service: '' }).catch(({ code }) => code);
    await expect.poll(check).toBe(STATUS.UNAVAILABLE);
    expect(await plain.client.ask(asked)).toMatchObject({ overall_code: 'OK' });
    for (const connection of held) connection.close();
    await expect.poll(check).toEqual({ status: 'SERVING' });
  });

  it('offers no reflection when it is off', async () => {
    const session = connectHttp2(`http://${plain.address}`);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      'content-type': 'application/grpc',
    });
    const status = await new Promise((resolve) =>
      stream.on('response', (got) => resolve(got['grpc-status'])),
    );
    expect(status).toBe(String(STATUS.UNIMPLEMENTED));
    session.close();
  });

  /** The protocol agreed on, or undefined if the handshake fails or the server hangs up after it. */
  function handshake(served: ServedRls, options: ConnectionOptions): Promise<string | undefined> {
    return new Promise((resolve) => {
      const socket = connect({
        port: portOf(served),
        host: '127.0.0.1',
        ca: server.cert,
        servername: 'localhost',
        ALPNProtocols: ['h2'],
        ...options,
      });
      socket.on('error', () => resolve(undefined));
      socket.on('close', () => resolve(undefined));
      // The first frame of the server: it accepted the client's certificate.
      socket.once('data', () => {
        resolve(socket.getProtocol() ?? undefined);
        socket.destroy();
      });
      socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');
    });
  }

  it.each([
    ['ECDHE-ECDSA-AES128-SHA', 'TLSv1.2'],
    ['ECDHE-ECDSA-AES128-SHA256', 'TLSv1.2'],
    ['ECDHE-ECDSA-AES256-SHA384', 'TLSv1.2'],
  ] as const)('denies the CBC suite %s', async (ciphers, version) => {
    expect(await handshake(secure, { ciphers, minVersion: version, maxVersion: version })).toBeUndefined();
  });

  it('accepts TLS 1.3 and the AEAD suites of TLS 1.2', async () => {
    expect(await handshake(secure, {})).toBe('TLSv1.3');
    const version = 'TLSv1.2' as const;
    const ciphers = 'ECDHE-ECDSA-AES128-GCM-SHA256';
    expect(await handshake(secure, { ciphers, minVersion: version, maxVersion: version })).toBe(version);
  });

  it('with optional client certificates, accepts none and one of the CA, and rejects one of another CA', async () => {
    const stranger = selfSignedCertificate('stranger');
    expect(await handshake(optional, {})).toBe('TLSv1.3');
    expect(await handshake(optional, { cert: caller.cert, key: caller.key })).toBe('TLSv1.3');
    expect(await handshake(optional, { cert: stranger.cert, key: stranger.key })).toBeUndefined();
  });
});
