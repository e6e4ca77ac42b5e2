import { TollgateStore } from '@tollgate/sdk/express-rate-limit';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { asked, port } from '../tollgate.ts';

const app = express();

app.use(
  rateLimit({
    windowMs: 60_000,
    limit: 100,
    standardHeaders: 'draft-8',
    // The one line: from here on Tollgate's limit decides, for all processes together, and changes in the console.
    store: new TollgateStore({ ...asked, operation: 'createURL' }),
  }),
);

app.post('/', (_request, response) => {
  response.status(201).json({ short: 'https://sho.rt/a1' });
});

export const server = app.listen(port, '127.0.0.1');
