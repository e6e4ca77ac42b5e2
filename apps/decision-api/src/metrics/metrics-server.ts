import { createServer, type Server } from 'node:http';
import { EXPOSITION_CONTENT_TYPE, type Family, writeExposition } from './exposition.js';

/**
 * `GET /metrics` for Prometheus, on a private port: it needs no token, so only the operator may reach it. Of all processes
 * behind the port, where there are several.
 */
export function createMetricsServer(read: () => Family[] | Promise<Family[]>): Server {
  return createServer({ headersTimeout: 10_000, requestTimeout: 15_000 }, (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET') {
      response.writeHead(405, { Allow: 'GET' }).end();
      return;
    }
    void Promise.resolve(read()).then((families) => {
      response.writeHead(200, { 'Content-Type': EXPOSITION_CONTENT_TYPE }).end(writeExposition(families));
    });
  });
}
