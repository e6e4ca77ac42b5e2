import type { TenantRecord } from '@tollgate/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TenantCache } from './tenant-cache.js';

function record(tenant: string, tier: string): TenantRecord {
  return { kind: 'tenant', revision: 1, tenant, status: 'active', tier, pinnedVersion: null };
}

/** Redis, as far as the cache sees it; `hold` keeps answers back. */
class Records {
  readonly stored = new Map<string, string>();
  readonly asked: string[][] = [];
  held: (() => void)[] | undefined;
  broken = false;

  put(tenant: string, tier: string): void {
    this.stored.set(tenant, JSON.stringify(record(tenant, tier)));
  }

  readonly read = async (tenants: readonly string[]) => {
    this.asked.push([...tenants]);
    if (this.broken) throw new Error('no connection');
    const texts = tenants.map((tenant) => this.stored.get(tenant) ?? null);
    await new Promise<void>((resolve) => {
      if (this.held === undefined) resolve();
      else this.held.push(resolve);
    });
    return texts;
  };
}

describe('tenant cache', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('reads what is asked for in one turn together, each tenant once, and then no more', async () => {
    const records = new Records();
    records.put('acme', 'free');
    records.put('globex', 'pro');
    const cache = new TenantCache(records.read);
    const loads = [cache.load('acme'), cache.load('globex'), cache.load('acme'), cache.load('nobody')];
    expect((await Promise.all(loads)).map((one) => one?.tier ?? null)).toEqual(['free', 'pro', 'free', null]);
    expect(records.asked).toEqual([['acme', 'globex', 'nobody']]);
    expect(cache.find('acme')?.tier).toBe('free');
    expect(cache.find('nobody')).toBeNull();
  });

  it('puts a change into force at one moment, not when it is read', async () => {
    const records = new Records();
    records.put('acme', 'free');
    const cache = new TenantCache(records.read);
    await cache.load('acme');
    records.put('acme', 'pro');
    const commit = await cache.prepare(['acme']);
    expect(cache.find('acme')?.tier).toBe('free');
    commit();
    expect(cache.find('acme')?.tier).toBe('pro');
  });

  it('a record that was asked for before a change and arrives after it is not kept as current', async () => {
    const records = new Records();
    records.put('acme', 'free');
    const cache = new TenantCache(records.read);
    records.held = [];
    const load = cache.load('acme');
    await Promise.resolve();
    const { held } = records;
    records.held = undefined;
    records.put('acme', 'pro');
    (await cache.prepare(['acme']))();
    for (const release of held) release();
    expect((await load)?.tier).toBe('free');
    expect(cache.find('acme')).toBeUndefined();
    expect((await cache.load('acme'))?.tier).toBe('pro');
  });

  it('a tenant that is created while it is looked for is found the next time', async () => {
    const records = new Records();
    const cache = new TenantCache(records.read);
    records.held = [];
    const load = cache.load('acme');
    await Promise.resolve();
    const { held } = records;
    records.held = undefined;
    records.put('acme', 'free');
    (await cache.prepare(['acme']))();
    for (const release of held) release();
    expect(await load).toBeNull();
    expect((await cache.load('acme'))?.tier).toBe('free');
  });

  it('after a change of unknown extent everything is read anew when asked for', async () => {
    const records = new Records();
    records.put('acme', 'free');
    const cache = new TenantCache(records.read);
    await cache.load('acme');
    (await cache.prepare(null))();
    expect(cache.find('acme')).toBeUndefined();
  });

  it('goes on with the last known record while it cannot be read anew, and tries once a second', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const records = new Records();
    records.broken = true;
    const cache = new TenantCache(records.read);
    cache.restore([record('acme', 'free')]);
    expect(cache.find('acme')).toBeUndefined();
    expect((await cache.load('acme'))?.tier).toBe('free');
    expect(cache.find('acme')?.tier).toBe('free');
    vi.advanceTimersByTime(1000);
    expect(cache.find('acme')).toBeUndefined();
    await expect(cache.load('nobody')).rejects.toMatchObject({ code: 'tenant-unavailable' });
  });
});
