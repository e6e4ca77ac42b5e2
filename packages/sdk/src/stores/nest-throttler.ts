import { hitsOf, type StoreOptions, subjectOf } from './store-options.js';

export interface ThrottlerStorageOptions extends StoreOptions {
  /** The operation, or how it is called for each named throttler (`default` where there is one only). */
  operation: string | ((throttlerName: string) => string);
}

interface ThrottlerRecord {
  totalHits: number;
  timeToExpire: number;
  isBlocked: boolean;
  timeToBlockExpire: number;
}

/**
 * `storage: new TollgateThrottlerStorage({ … })` in `ThrottlerModule.forRoot` of @nestjs/throttler. Its keys are hashes of
 * controller, handler, throttler and tracker, so a limit in Tollgate counts each handler by itself unless `generateKey` says
 * otherwise. Tollgate says how long somebody is refused; `blockDuration` does not apply.
 */
export class TollgateThrottlerStorage {
  constructor(private readonly options: ThrottlerStorageOptions) {}

  /** Called by the library. */
  async increment(
    key: string,
    _ttl: number,
    limit: number,
    _blockDuration: number,
    throttlerName: string,
  ): Promise<ThrottlerRecord> {
    const { client, tenant, api, operation } = this.options;
    const decision = await client.limit({
      tenant,
      api,
      operation: typeof operation === 'string' ? operation : operation(throttlerName),
      subject: subjectOf(this.options, key),
    });
    const { totalHits, resetAtMs = Date.now() } = hitsOf(decision, limit, 1);
    const timeToExpire = Math.max(0, Math.ceil((resetAtMs - Date.now()) / 1000));
    const isBlocked = !decision.success;
    return { totalHits, timeToExpire, isBlocked, timeToBlockExpire: isBlocked ? timeToExpire : 0 };
  }
}
