import type { Catalogue, TenantRecord } from '@tollgate/contracts';
import { Redis } from 'ioredis';

/** What stands in Redis as of one revision, put as simply as can be: the limit of each tenant. */
type Limits = ReadonlyMap<string, number | undefined>;

const TENANT = 'tg:policy:tenant:';

/** Hears every command that Redis runs, in order, and so knows what each revision said, whoever was killed meanwhile. */
export class Observer {
  /** When each revision was written, by this process's clock, ms. */
  readonly writtenAtMs = new Map<number, number>();
  newest = 0;
  private readonly limits = new Map<number, Limits>();
  private readonly tenants = new Map<string, TenantRecord>();
  private catalogue: Catalogue | undefined;

  private readonly monitor: Redis;

  private constructor(monitor: Redis) {
    this.monitor = monitor;
  }

  static async start(url: string): Promise<Observer> {
    const redis = new Redis(url);
    const monitor = (await redis.monitor()) as Redis;
    redis.disconnect();
    const observer = new Observer(monitor);
    monitor.on('monitor', (_time: string, [name = '', key = '', value = '']: string[]) =>
      observer.hear(name.toLowerCase(), key, value),
    );
    return observer;
  }

  /** What a decision under this revision has to say; undefined: there was no such revision. */
  limitOf(revision: number, tenant: string): number | undefined {
    return this.limits.get(revision)?.get(tenant);
  }

  stop(): void {
    this.monitor.disconnect();
  }

  // What a script runs is told as commands of its own, in order: tenants, catalogue, head.
  private hear(name: string, key: string, value: string): void {
    if (name !== 'set') return;
    if (key.startsWith(TENANT)) this.tenants.set(key.slice(TENANT.length), parse<TenantRecord>(value));
    else if (key === 'tg:policy:catalogue') this.catalogue = parse<Catalogue>(value);
    else if (key === 'tg:policy:head') this.note(parse<{ revision: number }>(value).revision);
  }

  private note(revision: number): void {
    this.newest = revision;
    this.writtenAtMs.set(revision, performance.now());
    const tiers = new Map(this.catalogue?.tiers.map((tier) => [tier.key, tier]));
    const limits = new Map<string, number | undefined>();
    for (const { tenant, tier: key, pinnedVersion } of this.tenants.values()) {
      const tier = tiers.get(key);
      const number = pinnedVersion ?? tier?.currentVersion;
      const [rule] = tier?.versions.find((version) => version.number === number)?.limits ?? [];
      limits.set(tenant, rule !== undefined && 'limit' in rule ? rule.limit : undefined);
    }
    this.limits.set(revision, limits);
  }
}

/** What is under a seal. */
function parse<T>(stored: string): T {
  return JSON.parse(stored.slice(stored.indexOf('{'))) as T;
}
