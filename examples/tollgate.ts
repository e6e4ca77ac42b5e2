import { Tollgate } from '@tollgate/sdk';

/** `npm start` prints address and token; without them this throws and names the variable. */
export const client = new Tollgate({
  url: process.env.TOLLGATE_URL,
  token: process.env.TOLLGATE_TOKEN,
  timeoutMs: Number(process.env.TOLLGATE_TIMEOUT_MS ?? 250),
  onUnavailable: 'local',
});

/** Tenant and API of the demo data. */
export const asked = { client, tenant: 'acme', api: 'url-shortener' };

export const port = Number(process.env.PORT ?? 3000);
