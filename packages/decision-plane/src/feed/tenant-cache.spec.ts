import type { TenantRecord } from '@tollgate/contracts';
import { CompiledCatalogue, PolicyVerifier } from '@tollgate/policy';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type PastPolicy, PolicyRecords } from './policy-records.js';
import { TenantCache } from './tenant-cache.js';

function record(tenant: string, tier: string, revision = 1): TenantRecord {
  return { kind: 'tenant', revision, tenant, status: 'active', tier, pinnedVersion: null };
}

/** Redis, as far as the cache sees it; `hold` keeps answers back. */
class Records {
  readonly stored = new Map<string, string>();
  readonly asked: string[][] = [];
  held: (() => void)[] | undefined;
  broken = false;
  /** The revision in force. */
  inForce = 3;

  readonly refused: [tenant: string, reason: string | null][] = [];

  put(tenant: string, tier: string, revision = 1): void {
    this.stored.set(tenant, JSON.stringify(record(tenant, tier, revision)));
  }

  cache(): TenantCache {
    const records = new PolicyRecords(new PolicyVerifier('unsigned'));
    return new TenantCache({
      read: this.read,
      open: (tenant, stored) => records.tenant(tenant, stored),
      revision: () => this.inForce,
      onRejected: (...refusal) => void this.refused.push(refusal),
    });
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

function withUnreadableRule(): string {
  const rule = { id: 'r1', dimension: 'user', pattern: 'user *-bot', effect: { kind: 'deny' } };
  return JSON.stringify({ ...record('acme', 'pro', 2), subjectRules: [rule] });
}

describe('tenant cache', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('reads all tenants needed in one turn together, each once', async () => {
    const records = new Records();
    records.put('acme', 'free');
    records.put('globex', 'pro');
    const cache = records.cache();
    const loads = [cache.load('acme'), cache.load('globex'), cache.load('acme'), cache.load('nobody')];
    expect((await Promise.all(loads)).map((one) => one?.tier ?? null)).toEqual(['free', 'pro', 'free', null]);
    expect(records.asked).toEqual([['acme', 'globex', 'nobody']]);
    expect(cache.find('acme')?.tier).toBe('free');
    expect(cache.find('nobody')).toBeNull();
  });

  it('activates a change on commit, not when it is read', async () => {
    const records = new Records();
    records.put('acme', 'free');
    const cache = records.cache();
    await cache.load('acme');
    records.put('acme', 'pro');
    const commit = await cache.prepare(['acme'], 3);
    expect(cache.find('acme')?.tier).toBe('free');
    commit(undefined);
    expect(cache.find('acme')?.tier).toBe('pro');
  });

  it('changes its version with every change of a cached record, and not for other tenants', async () => {
    const records = new Records();
    records.put('acme', 'free');
    records.put('globex', 'free');
    const cache = records.cache();
    await cache.load('acme');
    const before = cache.version;
    await cache.load('globex');
    await cache.load('nobody');
    expect(cache.version).toBe(before);
    const commit = await cache.prepare(['acme'], 3);
    expect(cache.version).toBe(before);
    commit(undefined);
    expect(cache.version).not.toBe(before);
  });

  it('has no version while a record is used that could not be read again', async () => {
    const records = new Records();
    records.put('acme', 'free');
    const cache = records.cache();
    await cache.load('acme');
    (await cache.prepare(null, 4))(undefined);
    expect(cache.version).toBeTypeOf('number');
    records.broken = true;
    expect(await cache.load('acme')).toMatchObject({ tier: 'free' });
    expect(cache.find('acme')).toMatchObject({ tier: 'free' });
    expect(cache.version).toBeUndefined();
  });

  it('reads a record again if a change happened meanwhile', async () => {
    const records = new Records();
    records.put('acme', 'free');
    const cache = records.cache();
    records.held = [];
    const load = cache.load('acme');
    await Promise.resolve();
    const { held } = records;
    records.held = undefined;
    records.put('acme', 'pro');
    (await cache.prepare(['acme'], 3))(undefined);
    for (const release of held) release();
    expect((await load)?.tier).toBe('pro');
    expect(cache.find('acme')?.tier).toBe('pro');
  });

  it('finds a tenant that is created during the lookup', async () => {
    const records = new Records();
    const cache = records.cache();
    records.held = [];
    const load = cache.load('acme');
    await Promise.resolve();
    const { held } = records;
    records.held = undefined;
    records.put('acme', 'free');
    (await cache.prepare(['acme'], 3))(undefined);
    for (const release of held) release();
    expect((await load)?.tier).toBe('free');
  });

  it('reads records again after a change of unknown extent', async () => {
    const records = new Records();
    records.put('acme', 'free');
    const cache = records.cache();
    await cache.load('acme');
    (await cache.prepare(null, 3))(undefined);
    expect(cache.find('acme')).toBeUndefined();
  });

  it.each([
    ['another tenant’s', () => JSON.stringify(record('globex', 'pro', 2)), 'the record is of globex'],
    ['an older one', () => JSON.stringify(record('acme', 'pro', 1)), 'older than the active one'],
    ['none', () => '{"kind":"tenant"}', 'unknown record format'],
    ['one with an unreadable subject rule', withUnreadableRule, 'subject rule r1: user *-bot: '],
    ['no JSON', () => 'acme', 'not a record'],
    ['too long', () => `{${' '.repeat(300_000)}}`, 'longer than 262144 characters'],
  ])(
    'a record that is %s is refused with its reason, and the last good one goes on',
    async (_name, text, reason) => {
      const records = new Records();
      records.put('acme', 'free', 2);
      const cache = records.cache();
      await cache.load('acme');
      records.stored.set('acme', text());
      (await cache.prepare(['acme'], 3))(undefined);
      expect((await cache.load('acme'))?.tier).toBe('free');
      expect(records.refused.at(-1)).toEqual(['acme', expect.stringContaining(reason)]);
      records.put('acme', 'pro', 3);
      (await cache.prepare(['acme'], 3))(undefined);
      expect(cache.find('acme')?.tier).toBe('pro');
      expect(records.refused.at(-1)).toEqual(['acme', null]);
    },
  );

  it('uses the last known record while it cannot be read, and retries once a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const records = new Records();
    records.broken = true;
    const cache = records.cache();
    cache.restore([['acme', JSON.stringify(record('acme', 'free'))]]);
    expect(cache.find('acme')).toBeUndefined();
    expect((await cache.load('acme'))?.tier).toBe('free');
    expect(cache.find('acme')?.tier).toBe('free');
    vi.advanceTimersByTime(1000);
    expect(cache.find('acme')).toBeUndefined();
    await expect(cache.load('nobody')).rejects.toMatchObject({ code: 'tenant-unavailable' });
  });

  it('uses a record that arrives after the deadline for later decisions', async () => {
    const records = new Records();
    records.put('acme', 'pro');
    records.held = [];
    const cache = records.cache();
    cache.restore([['acme', JSON.stringify(record('acme', 'free'))]]);
    expect((await cache.load('acme'))?.tier).toBe('free');
    for (const release of records.held) release();
    await expect.poll(() => cache.find('acme')?.tier).toBe('pro');
  });

  it('keeps a record of a later revision until that revision is active', async () => {
    const records = new Records();
    records.put('acme', 'free');
    const cache = records.cache();
    await cache.load('acme');
    records.put('acme', 'pro', 4);
    (await cache.prepare(['acme'], 3))(undefined);
    expect(cache.find('acme')).toBeUndefined();
    expect((await cache.load('acme'))?.tier).toBe('pro');
    expect(cache.find('acme')).toBeUndefined();
    records.inForce = 4;
    expect((await cache.load('acme'))?.tier).toBe('pro');
    expect(cache.find('acme')?.tier).toBe('pro');
  });

  it('looks up an unknown name once until something changes', async () => {
    const records = new Records();
    const cache = records.cache();
    await cache.load('nobody');
    expect(cache.find('nobody')).toBeNull();
    (await cache.prepare([], 3))(undefined);
    expect(cache.find('nobody')).toBeUndefined();
  });

  describe('a record that cannot be read again is used', () => {
    const before = policyAt(2);
    const unreadable = async (tenants: string[] | null, atHand = 1) => {
      const records = new Records();
      records.put('acme', 'free', atHand);
      const cache = records.cache();
      await cache.load('acme');
      records.put('acme', 'pro', 4);
      const commit = await cache.prepare(tenants, 3);
      records.broken = true;
      commit(before);
      return { records, cache };
    };

    it.each([
      ['it changed, and its change was not had', ['acme']],
      ['everything may have changed', null],
    ])('with the policy before the change: %s', async (_what, tenants) => {
      const { records, cache } = await unreadable(tenants);
      const record = await cache.load('acme');
      expect(record?.tier).toBe('free');
      expect(record && cache.pastOf(record)).toBe(before);
      expect(cache.find('acme')).toBe(record);
      // A later change takes it no further.
      records.broken = false;
      const commit = await cache.prepare(null, 3);
      records.broken = true;
      commit(policyAt(3));
      const still = await cache.load('acme');
      expect(still && cache.pastOf(still)).toBe(before);
    });

    it('until it is read, then with the active policy', async () => {
      const { records, cache } = await unreadable(null);
      await cache.load('acme');
      records.broken = false;
      records.put('acme', 'pro', 3);
      const record = await cache.load('acme');
      expect(record?.tier).toBe('pro');
      expect(record && cache.pastOf(record)).toBeUndefined();
    });

    it('with the active policy if the change concerned other tenants', async () => {
      const { cache } = await unreadable(['globex']);
      const record = cache.find('acme');
      expect(record?.tier).toBe('free');
      expect(record && cache.pastOf(record)).toBeUndefined();
    });

    it('with the active policy if it was rejected, not unread', async () => {
      const { records, cache } = await unreadable(['acme'], 2);
      records.broken = false;
      records.put('acme', 'pro', 1);
      const record = await cache.load('acme');
      expect(record?.tier).toBe('free');
      expect(record && cache.pastOf(record)).toBeUndefined();
    });

    it('if no newer one is available', async () => {
      const { cache } = await unreadable(['acme']);
      const record = cache.keepLastKnown('acme');
      expect(record && cache.pastOf(record)).toBe(before);
      expect(cache.keepLastKnown('globex')).toBeUndefined();
    });
  });
});

function policyAt(revision: number): PastPolicy {
  const catalogue = { kind: 'catalogue', revision, apis: [], tiers: [], serviceTokens: [] } as const;
  return { catalogue: CompiledCatalogue.compile(JSON.stringify(catalogue)), revision };
}
