import type { Random } from '@tollgate/test-kit/random';
import { ApisService, TiersService } from '../../../apps/control-plane/src/features/catalogue/index.js';
import { TenantsService } from '../../../apps/control-plane/src/features/customers/index.js';
import type { Outcome } from '../../../apps/control-plane/src/platform/changes/outcome.js';
import type { ChaosStack } from './chaos-stack.ts';
import { API, CALLER, OPERATION } from './policy-stack.ts';

export const TIERS = ['basic', 'plus'];
export const TENANTS = Array.from({ length: 12 }, (_, i) => `tenant-${i}`);

/** The first published limit; each later one is greater by 1, so limits are unique. */
const FIRST_LIMIT = 1_000_000_000;

/** One in this many changes of a tenant pins it to a version. */
const PINNED = 4;

/** Changes tiers and tenants, with one writer each. */
export class PolicyWriter {
  made = 0;
  private nextLimit = FIRST_LIMIT;
  private readonly stack: Pick<ChaosStack, 'context'>;
  private readonly random: Random;

  constructor(stack: Pick<ChaosStack, 'context'>, random: Random) {
    this.stack = stack;
    this.random = random;
  }

  async begin(): Promise<void> {
    const apis = this.service(ApisService);
    done(await apis.create(CALLER, { key: API, name: 'Shop' }));
    done(await apis.createOperation(CALLER, { apiKey: API, name: OPERATION, expectedVersion: 1 }));
    for (const tierKey of TIERS) {
      done(await this.service(TiersService).create(CALLER, { key: tierKey, name: tierKey }));
      await this.publish(tierKey);
    }
    for (const [i, key] of TENANTS.entries()) {
      const tierKey = TIERS[i % TIERS.length] as string;
      done(await this.service(TenantsService).create(CALLER, { key, name: key, tierKey }));
    }
  }

  /** Changes until this many changes have been made. */
  async write(changes: number): Promise<void> {
    const until = this.made + changes;
    const work = async (change: () => Promise<void>) => {
      while (this.made < until) {
        this.made++;
        await change();
      }
    };
    const halves = [TENANTS.slice(0, TENANTS.length / 2), TENANTS.slice(TENANTS.length / 2)];
    await Promise.all([
      work(() => this.publish(this.random.pick(TIERS))),
      ...halves.map((tenants) => work(() => this.move(this.random.pick(tenants)))),
    ]);
  }

  private async publish(tierKey: string): Promise<void> {
    const tiers = this.service(TiersService);
    const version = async () => (await tiers.findByKey(tierKey))?.version ?? 0;
    const rule = {
      name: 'per-hour',
      apiKey: API,
      operations: [],
      per: [],
      algorithm: 'FIXED_WINDOW' as const,
    };
    const limits = [{ ...rule, limit: this.nextLimit++, windowMs: 3_600_000 }];
    done(await tiers.saveDraft(CALLER, { tierKey, expectedVersion: await version(), limits }));
    done(await tiers.publish(CALLER, { tierKey, expectedVersion: await version() }));
  }

  private async move(tenantKey: string): Promise<void> {
    const tenants = this.service(TenantsService);
    const expectedVersion = (await tenants.findByKey(tenantKey))?.version ?? 0;
    const pinned = this.random.below(PINNED) === 0 ? { pinnedVersion: 1 } : {};
    const input = { tenantKey, tierKey: this.random.pick(TIERS), expectedVersion, ...pinned };
    done(await tenants.changeTier(CALLER, input));
  }

  private service<T>(of: abstract new (...args: never[]) => T): T {
    return this.stack.context.get(of, { strict: false });
  }
}

function done(outcome: Outcome<unknown>): void {
  if (!outcome.ok) throw new Error(outcome.errors[0]?.message);
}
