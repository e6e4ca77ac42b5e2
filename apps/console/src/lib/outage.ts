import { RequestError } from './graphql-request.js';

/** Why no request is answered: no control plane, or one without its database. */
export type Outage = 'unreachable' | 'unavailable';

/** The outage that an error reports; undefined for any other error. */
export function outageOf(error: unknown): Outage | undefined {
  if (!(error instanceof RequestError)) return undefined;
  if (error.code === 'NETWORK') return 'unreachable';
  return error.code === 'UNAVAILABLE' ? 'unavailable' : undefined;
}
