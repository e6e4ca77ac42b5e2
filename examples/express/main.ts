import { tollgate } from '@tollgate/sdk/express';
import express from 'express';
import { asked, port } from '../tollgate.ts';

const app = express();

app.post('/', tollgate({ ...asked, operation: 'createURL' }), (_request, response) => {
  response.status(201).json({ short: 'https://sho.rt/a1' });
});

export const server = app.listen(port, '127.0.0.1');
