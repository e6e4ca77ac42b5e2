/** `store: new TollgateStore({ client, tenant, api, operation })` in the options of express-rate-limit; one for each limiter. */
export { type HitStoreOptions as TollgateStoreOptions, TollgateStore } from './hit-store.js';
