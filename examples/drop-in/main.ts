import { TollgateStore } from '@tollgate/sdk/express-rate-limit';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { asked, port } from '../tollgate.ts';

const app = express();

// Tollgate's limit applies across processes. While it is unavailable, the library's own memory counts up to 100.
const store = new TollgateStore({ ...asked, operation: 'createURL', limit: 100 });

app.use(rateLimit({ windowMs: 60_000, limit: store.limit, standardHeaders: 'draft-8', store }));

app.post('/', (_request, response) => {
  response.status(201).json({ short: 'https://sho.rt/a1' });
});

export const server = app.listen(port, '127.0.0.1');
