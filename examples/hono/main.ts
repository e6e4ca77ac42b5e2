import { serve } from '@hono/node-server';
import { tollgate } from '@tollgate/sdk/hono';
import { Hono } from 'hono';
import { asked, port } from '../tollgate.ts';

const app = new Hono();

app.post('/', tollgate({ ...asked, operation: 'createURL' }), (context) => {
  return context.json({ short: 'https://sho.rt/a1' }, 201);
});

export const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
