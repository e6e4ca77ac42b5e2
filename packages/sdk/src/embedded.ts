import { Client, type ClientOptions } from './client/client.js';
import { TollgateConfigError } from './client/config-error.js';
import { type EmbeddedPlane, PlaneTransport } from './client/plane-transport.js';

export type { EmbeddedPlane };

export interface EmbeddedOptions extends Omit<ClientOptions, 'timeoutMs' | 'maxCalls'> {
  /** A started `DecisionPlane`; in tests, a `TestPlane`. Whoever started it closes it. */
  plane: EmbeddedPlane;
}

/**
 * The same surface as `Tollgate` over a decision plane in this process: no network between the service and its decisions but
 * Redis. All adapters take either. The plane answers outages of Redis by each limit's own `onUnavailable`; that of the
 * options is for a plane that holds no policy yet.
 */
export class EmbeddedTollgate extends Client {
  constructor({ plane, ...options }: EmbeddedOptions) {
    if (typeof plane?.limit !== 'function') {
      const message = 'EmbeddedTollgate: option "plane" must be a started DecisionPlane (or a TestPlane).';
      throw new TollgateConfigError('plane', message);
    }
    super(new PlaneTransport(plane), { ...options, maxCalls: Number.POSITIVE_INFINITY });
  }
}
