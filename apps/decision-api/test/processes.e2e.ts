import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { AS_LOCALHOST, eventually, selfSignedCertificate } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplesOf } from './metrics-text.js';
import { RlsClient } from './rls-client.js';
import { RunningProcesses } from './running-processes.js';

const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const LIMIT = 30;

/** Log lines, without those of the primary process. */
const ofNodes = (log: RunningProcesses['log']) => log.filter(({ node }) => node !== 'edge');

describe('several processes on one port', () => {
  const program = new RunningProcesses();
  const certificate = selfSignedCertificate();
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-tls-'));
  const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };

  beforeAll(async () => {
    writeFileSync(files.cert, certificate.cert);
    writeFileSync(files.key, certificate.key);
    await program.start(
      (relay) => ({
        limits: [
          {
            name: 'create-hour',
            api: 'url-shortener',
            operations: ['createURL'],
            per: [],
            onUnavailable: 'share',
            algorithm: 'fixed_window',
            limit: LIMIT,
            windowMs: 3_600_000,
            alignment: 'first_request',
          },
        ],
        tenants: [relay.tenant('acme')],
      }),
      {
        PROCESSES: '2',
        NODE_ID: 'edge',
        METRICS_PORT: '0',
        RLS_PORT: '0',
        RLS_TLS_CERT_FILE: files.cert,
        RLS_TLS_KEY_FILE: files.key,
      },
    );
  });
  afterAll(async () => {
    await program.stop();
    rmSync(folder, { recursive: true });
  });

  /** The values of a metric in all processes, and which processes it is of. */
  async function metric(name: string): Promise<{ values: number[]; processes: Set<string> }> {
    const text = await (
      await fetch(`http://127.0.0.1:${program.portOf('metrics server listening')}/metrics`)
    ).text();
    const samples = samplesOf(text, name);
    const processes = samples.map(({ line }) => /process="(\d+)"/.exec(line)?.[1] ?? '');
    return { values: samples.map(({ value }) => value), processes: new Set(processes) };
  }

  it('are separate nodes that count together, with the metrics of both on one port', async () => {
    const isReady = async () => {
      const { values } = await metric('tollgate_policy_revision');
      return values.length === 2 && values.every((revision) => revision > 0);
    };
    await eventually(isReady);
    expect(new Set(ofNodes(program.log).map(({ node }) => node))).toEqual(new Set(['edge-1', 'edge-2']));
    let allowed = 0;
    for (let i = 0; i < LIMIT + 10; i++) {
      const answer = (await (await program.ask('/v1/limit', create)).json()) as { success: boolean };
      if (answer.success) allowed++;
    }
    expect(allowed).toBe(LIMIT);
    const { values, processes } = await metric('tollgate_requests_total');
    expect(values.reduce((sum, value) => sum + value, 0)).toBe(LIMIT + 10);
    expect(processes).toEqual(new Set(['1', '2']));
  });

  it('one that is killed is started again, and the port is answered meanwhile', async () => {
    const started = () => program.log.filter(({ msg }) => msg === 'decision API listening').length;
    const before = started();
    const [worker = 0] = program.log.flatMap(({ pid, msg }) =>
      msg === 'decision API listening' ? [pid] : [],
    );
    process.kill(worker, 'SIGKILL');
    await eventually(() => started() > before);
    expect((await program.ask('/healthz')).status).toBe(200);
  });

  it('a signal stops all of them gracefully, and health watchers over TLS are notified first', async () => {
    const address = `127.0.0.1:${program.portOf('gRPC server listening')}`;
    const trusting = credentials.createSsl(Buffer.from(certificate.cert));
    const client = new RlsClient(address, program.token.token, AS_LOCALHOST, trusting);
    const descriptors = [
      {
        entries: [
          { key: 'operation', value: 'createURL' },
          { key: 'tenant', value: 'acme' },
        ],
      },
    ];
    expect(await client.ask({ domain: 'url-shortener', descriptors })).toMatchObject({
      overall_code: 'OVER_LIMIT',
      statuses: [{ current_limit: { requests_per_unit: LIMIT } }],
    });
    const health = client.watchHealth();
    const told: string[] = [];
    health.on('data', ({ status }) => told.push(status));
    // The process started last may not serve yet.
    await eventually(() => told.at(-1) === 'SERVING');
    expect(await program.process.stop()).toEqual([0, null]);
    expect(told.slice(-2)).toEqual(['SERVING', 'NOT_SERVING']);
    client.close();
    expect(ofNodes(program.log).filter(({ msg }) => msg === 'stopping').length).toBe(2);
  });
});
