import { Client, type ClientOptions } from './client/client.js';
import { HttpTransport } from './client/http-transport.js';

export interface TollgateOptions extends ClientOptions {
  /** Address of the decision API, `http://127.0.0.1:4010`. */
  url: string;
  /** A service token with the scope `decide`, `tga_live_…`. */
  token: string;
  /** In the place of the runtime's own `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Asks a decision API.
 *
 * One for a process: it holds no connection of its own (the runtime's `fetch` keeps them alive), but requests that are asked
 * through the same one travel together when there are many.
 */
export class Tollgate extends Client {
  constructor({ url, token, fetch = globalThis.fetch, ...options }: TollgateOptions) {
    super(new HttpTransport(url, token, fetch), options);
  }
}
