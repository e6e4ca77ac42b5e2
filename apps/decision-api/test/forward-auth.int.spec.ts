import type { TenantRecord } from '@tollgate/contracts';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { describe, expect, it } from 'vitest';
import { PEPPERS, useRunningServer } from './running-server.js';

const HOUR = { windowMs: 3_600_000, alignment: 'first_request' as const, onUnavailable: 'share' as const };
const key = issueToken('tgk', 'live');
const QUERY = 'api=url-shortener&operation=createURL&tenant=acme';

describe('forward-auth', () => {
  const running = useRunningServer((relay) => {
    const keys: TenantRecord['keys'] = [
      { publicId: key.publicId, secrets: [{ hash: hashToken(key.token, PEPPERS.get(1) ?? '') }] },
    ];
    const limit = { ...HOUR, api: 'url-shortener', algorithm: 'fixed_window', limit: 1 } as const;
    return {
      limits: [
        { ...limit, name: 'by-ip', operations: ['createURL'], per: ['ip'] },
        { ...limit, name: 'by-user', operations: ['deleteURL'], per: ['user'] },
      ],
      tenants: [
        relay.tenant('acme'),
        relay.tenant('globex', { keys }),
        relay.tenant('gone', { status: 'suspended' }),
      ],
    };
  });

  async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const response = await fetch(`${running.origin}/v1/forward-auth/${path}`, {
      method,
      headers: { 'X-Tollgate-Token': running.token.token, ...headers },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  }
  const from = (address: string) => ({ 'X-Forwarded-For': address });

  it.each([
    ['nginx', `nginx?${QUERY}`, 403, '192.0.2.1'],
    ['traefik', `traefik?${QUERY}`, 429, '192.0.2.2'],
    ['envoy', `envoy/${QUERY}/some/path?tenant=globex&api=x`, 429, '192.0.2.3'],
  ])(
    'in the dialect of %s allows with 200 and denies so that the client receives 429',
    async (_, path, refusedWith, ip) => {
      const allowed = await ask(path, from(ip), 'POST');
      expect([allowed.status, allowed.text]).toEqual([200, '']);
      expect(allowed.headers.get('ratelimit')).toMatch(/^"by-ip";r=0;t=\d+$/);
      const refused = await ask(path, from(ip));
      expect([refused.status, refused.headers.get('x-tollgate-status')]).toEqual([refusedWith, '429']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
      expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(JSON.parse(refused.text)).toMatchObject({ status: 429, 'violated-policies': ['by-ip'] });
    },
  );

  it('counts IPv6 by its /64 and ignores addresses written by clients', async () => {
    const status = async (forwardedFor: string) => (await ask(`traefik?${QUERY}`, from(forwardedFor))).status;
    expect(await status('2001:db8:1:1::1')).toBe(200);
    expect(await status('2001:db8:1:1:ffff::2')).toBe(429);
    expect(await status('1.2.3.4, [2001:db8:1:1::3]:1234')).toBe(429);
    expect(await status('2001:db8:1:2::1')).toBe(200);
  });

  it('counts by the header that `from.user` names; requests without it share a counter', async () => {
    const path = 'traefik?api=url-shortener&operation=deleteURL&tenant=acme&from.user=X-User';
    expect((await ask(path, { 'X-User': 'u1' })).status).toBe(200);
    expect((await ask(path, { 'X-User': 'u1' })).status).toBe(429);
    expect((await ask(path, { 'X-User': 'u2' })).status).toBe(200);
    expect((await ask(path)).status).toBe(200);
    expect((await ask(path, { 'X-User': '' })).status).toBe(429);
  });

  it("identifies the tenant by the client's API key", async () => {
    const path = 'nginx?api=url-shortener&operation=createURL';
    const address = from('192.0.2.9');
    expect((await ask(path, { ...address, 'X-API-Key': key.token })).status).toBe(200);
    expect((await ask(path, { ...address, Authorization: `Bearer ${key.token}` })).status).toBe(403);
    const none = await ask(path, address);
    expect([none.status, JSON.parse(none.text).code]).toEqual([401, 'key-missing']);
    const junk = await ask(path, { ...address, 'X-API-Key': 'junk' });
    expect([junk.status, JSON.parse(junk.text).code]).toEqual([401, 'key-invalid']);
  });

  const PREFLIGHT = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' };
  const NO_TENANT = 'api=url-shortener&operation=createURL';
  /** A client's OPTIONS as each proxy sends it. */
  const OPTIONS: [string, string, Record<string, string>, string][] = [
    ['nginx', `nginx?${NO_TENANT}&method=OPTIONS`, {}, 'GET'],
    ['traefik', `traefik?${NO_TENANT}`, { 'X-Forwarded-Method': 'OPTIONS' }, 'GET'],
    ['envoy', `envoy/${NO_TENANT}/path`, {}, 'OPTIONS'],
  ];

  it.each(OPTIONS)('allows a CORS preflight without a key, counted by address (%s)', async (...call) => {
    const [dialect, path, headers, method] = call;
    const address = from(dialect === 'envoy' ? '2001:db8:2::1' : `198.51.100.${dialect.length}`);
    const allowed = await ask(path, { ...headers, ...address, ...PREFLIGHT }, method);
    expect([allowed.status, allowed.headers.get('ratelimit')]).toEqual([200, '"preflight";r=599;t=60']);
    const other = await ask(path, { ...headers, ...address }, method);
    expect([other.status, JSON.parse(other.text).code]).toEqual([401, 'key-missing']);
  });

  it('ignores a method that clients can write, and counts preflights of a tenant by its limits', async () => {
    const spoofed = { ...PREFLIGHT, 'X-Forwarded-Method': 'OPTIONS', 'X-HTTP-Method-Override': 'OPTIONS' };
    expect((await ask(`nginx?${NO_TENANT}`, spoofed)).status).toBe(401);
    const ofTenant = await ask(`envoy/${QUERY}/x`, { ...PREFLIGHT, ...from('192.0.2.77') }, 'OPTIONS');
    expect([ofTenant.status, ofTenant.headers.get('ratelimit')?.slice(0, 12)]).toEqual([200, '"by-ip";r=0;']);
  });

  it('denies a suspended tenant for good', async () => {
    const refused = await ask('traefik?api=url-shortener&operation=createURL&tenant=gone', from('192.0.2.1'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([403, null]);
  });

  it.each([
    ['', ['api', 'operation']],
    ['?api=url-shortener', ['operation']],
    [`?${QUERY}&costs=2`, ['costs']],
    [`?${QUERY}&tenant=globex`, ['tenant']],
    [`?${QUERY}&cost=0`, ['cost']],
  ])('names parameters that are missing, unknown or wrong: %s', async (query, fields) => {
    const { status, text } = await ask(`nginx${query}`);
    expect(status).toBe(400);
    expect(JSON.parse(text).errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it('wants a service token', async () => {
    expect((await ask(`nginx?${QUERY}`, { 'X-Tollgate-Token': 'junk' })).status).toBe(401);
    expect((await fetch(`${running.origin}/v1/forward-auth/nginx?${QUERY}`)).status).toBe(401);
  });
});
