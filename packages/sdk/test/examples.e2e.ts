import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fetchUntilTakenIn, useShopFront } from './shop-front.js';

const front = useShopFront();

beforeEach(async () => {
  vi.stubGlobal('fetch', fetchUntilTakenIn);
  vi.stubEnv('TOLLGATE_URL', front.api.url);
  vi.stubEnv('TOLLGATE_TOKEN', front.token);
  vi.stubEnv('TOLLGATE_TIMEOUT_MS', '30000');
  vi.stubEnv('PORT', '0');
  const reset = await front.client().reset({ tenant: 'acme', api: 'url-shortener', operation: 'createURL' });
  expect(reset.status).toBe('applied');
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** The tenant's limit is three: a fourth call is denied by Tollgate, not by the number in code. */
async function expectThreeToPass(server: Server, headers: Record<string, string> = {}): Promise<void> {
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const answers = [];
    for (let i = 0; i < 4; i++) {
      answers.push(await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers }));
    }
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429]);
    expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(await answers[0]?.json()).toEqual({ short: 'https://sho.rt/a1' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const EXAMPLES: Record<string, () => Promise<{ server: unknown }>> = {
  express: () => import('../../../examples/express/main.js'),
  fastify: () => import('../../../examples/fastify/main.js'),
  nest: () => import('../../../examples/nest/main.js'),
  hono: () => import('../../../examples/hono/main.js'),
  fetch: () => import('../../../examples/fetch/main.js'),
  'drop-in': () => import('../../../examples/drop-in/main.js'),
};

it.each(Object.entries(EXAMPLES))(
  'examples/%s meets the limit that is set in Tollgate',
  async (_name, start) => {
    const { server } = await start();
    await expectThreeToPass(server as Server);
  },
);

it('examples/next meets it too, under a server that hands it requests', async () => {
  const { POST } = await import('../../../examples/next/route.js');
  const server = serve({ fetch: (request) => POST(request), port: 0, hostname: '127.0.0.1' }) as Server;
  await expectThreeToPass(server, { 'x-forwarded-for': '203.0.113.9' });
});
