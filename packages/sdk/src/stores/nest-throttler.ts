import { ThrottlerGuard, ThrottlerStorageService } from '@nestjs/throttler';
import {
  asHitsOf,
  checkStoreOptions,
  type Hits,
  hitsOf,
  isLeftToLibrary,
  type StoreOptions,
  subjectOf,
} from './hit-store.js';

export interface ThrottlerStorageOptions extends StoreOptions {
  /** A function names the operation of each named throttler (`default` if there is only one). */
  operation: string | ((throttlerName: string) => string);
}

interface ThrottlerRecord {
  totalHits: number;
  timeToExpire: number;
  isBlocked: boolean;
  timeToBlockExpire: number;
  /** The binding limit, if it is not the number in code. */
  applied?: { limit: number; remaining: number };
}

/**
 * `storage: new TollgateThrottlerStorage({ … })` in `ThrottlerModule.forRoot` of @nestjs/throttler. Keys are hashes of
 * controller, handler, throttler and tracker: each handler is counted separately unless `generateKey` changes that.
 * `blockDuration` does not apply. When Tollgate makes no decision, the library's own storage counts with the numbers
 * in code.
 */
export class TollgateThrottlerStorage {
  private readonly memory = new ThrottlerStorageService();

  constructor(private readonly options: ThrottlerStorageOptions) {
    checkStoreOptions('TollgateThrottlerStorage', options);
  }

  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    throttlerName: string,
  ): Promise<ThrottlerRecord> {
    const { client, tenant, api, operation } = this.options;
    const decision = await client.limit({
      tenant,
      api,
      operation: typeof operation === 'string' ? operation : operation(throttlerName),
      subject: subjectOf(this.options, String(key)),
    });
    if (isLeftToLibrary(decision))
      return this.memory.increment(key, ttl, limit, blockDuration, throttlerName);
    const hits = hitsOf(decision, limit, 1);
    // Blocked permanently: a retry makes no sense before the window in code is over.
    const { totalHits, resetAtMs = Date.now() + ttl } = asHitsOf(hits, limit, 1);
    const timeToExpire = Math.max(0, Math.ceil((resetAtMs - Date.now()) / 1000));
    const isBlocked = !decision.success;
    return {
      totalHits,
      timeToExpire,
      isBlocked,
      timeToBlockExpire: isBlocked ? timeToExpire : 0,
      ...appliedIn(hits),
    };
  }

  onApplicationShutdown(): void {
    this.memory.onApplicationShutdown();
  }
}

function appliedIn({ limit, totalHits }: Hits): Pick<ThrottlerRecord, 'applied'> {
  return limit === undefined ? {} : { applied: { limit, remaining: Math.max(0, limit - totalHits) } };
}

/**
 * Headers show the binding limit instead of the number in code: `{ provide: APP_GUARD, useClass:
 * TollgateThrottlerGuard }`.
 */
export class TollgateThrottlerGuard extends ThrottlerGuard {
  protected override handleRequest(props: Parameters<ThrottlerGuard['handleRequest']>[0]): Promise<boolean> {
    let applied: ThrottlerRecord['applied'];
    const { storageService } = this;
    // The library does not pass the request to the code that writes headers: use one guard per request.
    const own = Object.create(this, {
      storageService: {
        value: {
          increment: async (...args: Parameters<typeof storageService.increment>) => {
            const record: ThrottlerRecord = await storageService.increment(...args);
            ({ applied } = record);
            return record;
          },
        },
      },
      setResponseHeader: {
        value: (response: unknown, name: string, value: string | number) => {
          const shown = applied === undefined ? value : (shownOf(name, applied) ?? value);
          this.setResponseHeader(response as never, name, shown as never);
        },
      },
    });
    return super.handleRequest.call(own, props);
  }
}

function shownOf(
  name: string,
  { limit, remaining }: NonNullable<ThrottlerRecord['applied']>,
): number | undefined {
  if (/-Limit(-|$)/.test(name.replace(/^X-RateLimit/, ''))) return limit;
  return /-Remaining(-|$)/.test(name) ? remaining : undefined;
}
