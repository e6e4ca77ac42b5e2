import { request as httpRequest } from 'node:http';
import { canonicalAddress } from '@tollgate/contracts/addresses';
import { assertNoTextPasses } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestMessage } from './rls-client.js';
import { descriptor, limitOf } from './rls-policy.js';
import { ServedRls } from './running-rls.js';
import { useRunningServer } from './running-server.js';

/** Asks with one text in the place of one value. Returns whether the caller's request would pass. */
type Ask = (text: string) => Promise<boolean>;

describe('a text of a client never makes a request pass uncounted', () => {
  const running = useRunningServer((relay) => ({
    apis: [
      { key: 'whole', unknownOperations: 'count', operations: [{ name: 'create', cost: 1 }] },
      { key: 'addressed', unknownOperations: 'count', operations: [{ name: 'create', cost: 1 }] },
    ],
    limits: [
      limitOf('everything', 1, { api: 'whole', operations: [] }),
      limitOf('by-address', 1, { api: 'addressed', operations: [], per: ['ip'] }),
    ],
    tenants: [relay.tenant('acme')],
  }));
  let rls: ServedRls;
  beforeAll(async () => {
    rls = await ServedRls.start(running.plane, running.token.token);
    // Nothing remains of either limit; requests without an address share one counter.
    for (const api of ['whole', 'addressed']) expect(await http({ ...CALL, api })).toBe(true);
  });
  afterAll(() => rls?.stop());

  const CALL = { tenant: 'acme', api: 'whole', operation: 'create' };

  async function http(body: object): Promise<boolean> {
    const response = await running.post('/v1/limit', body);
    const { success } = (await response.json()) as { success?: boolean };
    return response.status === 200 && success !== false;
  }

  async function batch(body: object): Promise<boolean> {
    const response = await running.post('/v1/limit/batch', { requests: [body] });
    const { answers } = (await response.json()) as { answers?: { success?: boolean }[] };
    return response.status === 200 && answers?.[0]?.success === true;
  }

  /** Envoy passes a request on an error. */
  async function grpc(entries: Record<string, string>, more: Partial<RequestMessage> = {}): Promise<boolean> {
    const request = { domain: 'whole', descriptors: [descriptor(entries)], ...more };
    try {
      return (await rls.client.ask(request)).overall_code !== 'OVER_LIMIT';
    } catch {
      return true;
    }
  }

  async function json(entries: Record<string, string>): Promise<boolean> {
    const body = { domain: 'whole', descriptors: [descriptor(entries)] };
    return (await running.post('/json', body)).status === 200;
  }

  /** A client can send any bytes of ISO 8859-1 but control characters. */
  function forwardAuth(query: string, header: string, text: string): Promise<boolean> {
    const value = text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').trim();
    return new Promise((resolve, reject) => {
      const headers = { 'X-Tollgate-Token': running.token.token, [header]: value };
      httpRequest(`${running.origin}/v1/forward-auth/traefik?${query}`, { headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode === 200));
      })
        .on('error', reject)
        .end();
    });
  }

  const entries = { tenant: 'acme', operation: 'create' };
  const inQuery = 'operation=create&tenant=acme';

  const WHOLE: Record<string, Ask> = {};
  for (const [transport, ask] of Object.entries({ http, batch })) {
    for (const field of ['tenant', 'api', 'operation', 'requestId', 'cost', 'key']) {
      WHOLE[`${transport}: ${field}`] = (text) => ask({ ...CALL, [field]: text });
    }
    WHOLE[`${transport}: a cost of a number`] = (text) => ask({ ...CALL, cost: Number(text) });
    WHOLE[`${transport}: a value of a dimension`] = (text) => ask({ ...CALL, subject: { user: text } });
    WHOLE[`${transport}: a name of a dimension`] = (text) => ask({ ...CALL, subject: { [text]: 'u1' } });
    WHOLE[`${transport}: an address`] = (text) => ask({ ...CALL, subject: { ip: text } });
    const { tenant: _, ...withoutTenant } = CALL;
    WHOLE[`${transport}: a key instead of a tenant`] = (text) => ask({ ...withoutTenant, key: text });
  }
  for (const [transport, ask] of Object.entries({ grpc, json })) {
    for (const entry of ['tenant', 'api', 'operation', 'key', 'user', 'remote_address']) {
      WHOLE[`${transport}: ${entry}`] = (text) => ask({ ...entries, [entry]: text });
    }
    WHOLE[`${transport}: operation in generic_key`] = (text) => ask({ tenant: 'acme', generic_key: text });
  }
  WHOLE['grpc: a second descriptor'] = (text) =>
    grpc(entries, { descriptors: [descriptor({ ...entries, tenant: text }), descriptor(entries)] });
  WHOLE['forward-auth: a header of a dimension'] = (text) =>
    forwardAuth(`api=whole&${inQuery}&from.user=X-User`, 'X-User', text);
  WHOLE['forward-auth: X-Forwarded-For'] = (text) =>
    forwardAuth(`api=whole&${inQuery}`, 'X-Forwarded-For', text);
  WHOLE['forward-auth: a key'] = (text) => forwardAuth('api=whole&operation=create', 'X-Api-Key', text);
  WHOLE['forward-auth: a query that the proxy copies'] = (text) =>
    forwardAuth(`api=whole&${inQuery}&subject.user=${encodeURI(text.toWellFormed())}`, 'X-User', 'u1');

  it.each(Object.entries(WHOLE))('%s', async (_, ask) => {
    await assertNoTextPasses(ask);
  });

  const call = { ...CALL, api: 'addressed' };
  const ADDRESSED: Record<string, Ask> = {
    http: (text) => http({ ...call, subject: { ip: text } }),
    batch: (text) => batch({ ...call, subject: { ip: text } }),
    grpc: (text) => grpc({ ...entries, api: 'addressed', remote_address: text }),
    'forward-auth': (text) => forwardAuth(`api=addressed&${inQuery}&from.ip=X-Real-Ip`, 'X-Real-Ip', text),
  };

  it.each(Object.entries(ADDRESSED))(
    '%s: what is not an address counts as a request without one',
    async (_, ask) => {
      await assertNoTextPasses(ask, (text) => text.trim() !== '' && canonicalAddress(text) === undefined);
    },
  );
});
