import type { FastifyInstance } from 'fastify';
import type { TestApp } from '../support/test-app.js';

/**
 * Expected permission of each HTTP route, in the notation of `ACCESS_TABLE`. Routes with `anyone` authenticate
 * themselves: GraphQL by field, sign-in by its body, payment webhooks by signature.
 */
export const ROUTE_TABLE: Readonly<Record<string, string>> = {
  'GET /api/audit/export': 'audit:read in tenant',
  'GET /api/auth/get-session': 'anyone',
  'GET /api/auth/magic-link/verify': 'anyone',
  'GET /api/auth/passkey/generate-authenticate-options': 'anyone',
  'GET /api/auth/passkey/generate-register-options': 'anyone',
  'GET /graphql': 'anyone',
  'GET /healthz': 'anyone',
  // Development only; the links in its mails let people in.
  'GET /api/brand/logo.png': 'anyone',
  'GET /embed/usage': 'anyone',
  'GET /embed/usage.js': 'anyone',
  'GET /embed/usage/data': 'anyone',
  'GET /api/invoices/:file': 'purchases:read in some tenant',
  'GET /api/receipts/:file': 'purchases:read in some tenant',
  'GET /mailbox': 'operators:write',
  'GET /mailbox/:id': 'operators:write',
  'GET /mailbox/style.css': 'operators:write',
  'GET /readyz': 'anyone',
  'GET /schema.graphql': 'signed in',
  'GET /version': 'anyone',
  'OPTIONS /graphql': 'anyone',
  'POST /api/auth/change-password': 'anyone',
  'POST /api/auth/confirm-password': 'anyone',
  'POST /api/auth/passkey/delete-passkey': 'anyone',
  'POST /api/auth/passkey/update-passkey': 'anyone',
  'POST /api/auth/passkey/verify-authentication': 'anyone',
  'POST /api/auth/passkey/verify-registration': 'anyone',
  'POST /api/auth/reset-password': 'anyone',
  'POST /api/auth/sign-in/email': 'anyone',
  'POST /api/auth/sign-out': 'anyone',
  'POST /api/auth/two-factor/disable': 'anyone',
  'POST /api/auth/two-factor/enable': 'anyone',
  'POST /api/auth/two-factor/generate-backup-codes': 'anyone',
  'POST /api/auth/two-factor/verify-backup-code': 'anyone',
  'POST /api/auth/two-factor/verify-totp': 'anyone',
  'POST /graphql': 'anyone',
  'POST /graphql/stream': 'anyone',
  'POST /webhooks/stripe': 'anyone',
  'POST /webhooks/test': 'anyone',
};

/** Permission of a route; undefined if it is not listed. */
export function ruleOf(route: string): string | undefined {
  return ROUTE_TABLE[route];
}

/** Columns that one level of the printed tree takes. */
const INDENT = 4;

/** The routes that the server knows, as `GET /path`. */
export function routesOf({ app }: TestApp): string[] {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const path: string[] = [];
  const routes: string[] = [];
  // Fastify prints common prefixes once; the parts are joined to whole paths.
  for (const line of fastify.printRoutes().split('\n')) {
    const [, branch, part, methods] = /^([│ ]*[├└]── )(\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (branch === undefined || part === undefined) continue;
    path.splice(branch.length / INDENT - 1, Number.POSITIVE_INFINITY, part);
    for (const method of methods?.split(', ') ?? [])
      if (method !== 'HEAD') routes.push(`${method} ${path.join('')}`);
  }
  return routes.sort();
}
