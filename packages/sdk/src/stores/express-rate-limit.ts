import { MemoryStore } from 'express-rate-limit';
import { HitStore, type HitStoreOptions } from './hit-store.js';

export type { HitStoreOptions as TollgateStoreOptions };

/** `store: new TollgateStore({ client, tenant, api, operation })` in the options of express-rate-limit; one for each limiter. */
export class TollgateStore extends HitStore {
  constructor(options: HitStoreOptions) {
    super(options, new MemoryStore());
  }
}
