import { Client, type ClientOptions } from './client/client.js';
import { requireText, TollgateConfigError } from './client/errors.js';
import { HttpTransport } from './client/http-transport.js';

export interface TollgateOptions extends ClientOptions {
  /** Address of the decision API; usually `process.env.TOLLGATE_URL`. Undefined or empty throws. */
  url: string | undefined;
  /** Service token with the scope `decide`; usually `process.env.TOLLGATE_TOKEN`. Undefined or empty throws. */
  token: string | undefined;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Client of a decision API; create one per process, because it batches concurrent requests.
 * @throws TollgateConfigError for a missing or wrong option; `verify()` checks the options against the server
 */
export class Tollgate extends Client {
  constructor({ url, token, fetch = globalThis.fetch, ...options }: TollgateOptions) {
    super(new HttpTransport(checkedUrl(url), checkedToken(token), fetch), options);
  }
}

function checkedUrl(given: string | undefined): string {
  const url = requireText('Tollgate', 'url', given);
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new TollgateConfigError(
    'url',
    `Tollgate: option "url" must be an http or https address such as http://127.0.0.1:4010, not "${url}".`,
  );
}

function checkedToken(given: string | undefined): string {
  const token = requireText('Tollgate', 'token', given);
  if (token.startsWith('tgk_')) {
    throw new TollgateConfigError(
      'token',
      'Tollgate: option "token" is an API key of a tenant (tgk_…); pass a service token (tga_…), and the key as "key".',
    );
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new TollgateConfigError(
    'token',
    'Tollgate: option "token" has spaces or other characters that no token has.',
  );
}
