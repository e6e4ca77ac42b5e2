import type { LimitRequest, ReceiptRequest, TenantRecord, TollgateError } from '@tollgate/contracts';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { CallerKeys, KeyDirectory } from './caller-keys.js';

const PEPPERS = new Map([
  [1, 'the first pepper'],
  [2, 'the second pepper'],
]);
const NOW_MS = Date.UTC(2026, 10, 21);
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

type KeyRecord = NonNullable<TenantRecord['keys']>[number];

const issued = issueToken('tgk', 'live');
let records: Map<string, TenantRecord>;
let owners: Map<string, string>;
let reads: string[];
let uses: string[];
let nowMs: number;
let directory: KeyDirectory;
let callers: CallerKeys;

beforeEach(() => {
  records = new Map();
  owners = new Map();
  reads = [];
  uses = [];
  nowMs = NOW_MS;
  directory = new KeyDirectory(async (ids) => {
    reads.push(...ids);
    return ids.map((id) => owners.get(id) ?? null);
  });
  callers = new CallerKeys({
    peppers: PEPPERS,
    index: directory,
    tenants: {
      findTenant: (key) => records.get(key) ?? null,
      loadTenant: async (key) => records.get(key) ?? null,
    },
    onUse: (publicId) => uses.push(publicId),
    nowMs: () => nowMs,
  });
  give('acme', keyOf(issued.token));
});

function keyOf(token: string, over: Partial<KeyRecord> = {}, pepper = 1): KeyRecord {
  const hash = hashToken(token, PEPPERS.get(pepper) ?? '');
  return { publicId: token.slice(9, 21), secrets: [{ hash, ...(pepper === 1 ? {} : { pepper }) }], ...over };
}

/** Puts a new record into force, with these keys. */
function give(tenant: string, ...keys: KeyRecord[]): void {
  const record = { kind: 'tenant', revision: 1, tenant, tier: 'free', pinnedVersion: null } as const;
  records.set(tenant, { ...record, status: 'active', keys });
  for (const { publicId } of keys) owners.set(publicId, tenant);
  directory.onPolicyChange();
}

/** Result of a call with the key, or its error code. */
async function call(key: unknown, over: object = {}): Promise<LimitRequest | string> {
  const request = { key: key as string, api: 'shop', operation: 'buy', ...over };
  try {
    return await callers.resolve<LimitRequest>(request);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('a request with a key', () => {
  it("gets the key's tenant and public id", async () => {
    const named = { tenant: 'acme', api: 'shop', operation: 'buy', subject: { key: issued.publicId } };
    expect(await call(issued.token)).toEqual(named);
    expect(await call(issued.token, { subject: { user: 'u1', key: 'mine' }, cost: 2 })).toEqual({
      ...named,
      cost: 2,
      subject: { user: 'u1', key: issued.publicId },
    });
  });

  it('gets no subject if it names a receipt', async () => {
    expect(await callers.resolve<ReceiptRequest>({ key: issued.token, requestId: 'r1' })).toEqual({
      tenant: 'acme',
      requestId: 'r1',
    });
  });

  it('is looked up once and reported once a minute', async () => {
    for (let i = 0; i < 10; i++) await call(issued.token);
    expect(reads).toEqual([issued.publicId]);
    expect(uses).toEqual([issued.publicId]);
    nowMs += 60_000;
    await call(issued.token);
    expect(uses).toHaveLength(2);
  });

  it('is rejected if it also names the tenant', async () => {
    expect(await call(issued.token, { tenant: 'acme' })).toBe('body-invalid');
  });

  it('is resolved separately from the others of a batch, in order', async () => {
    const of = (key: string, user: string) => ({ key, api: 'shop', operation: 'buy', subject: { user } });
    const requests = [
      of(issued.token, 'a'),
      of('junk', 'b'),
      { tenant: 'other', api: 'shop', operation: 'buy' },
    ];
    const resolved = await callers.resolveAll<LimitRequest>(requests, (error) =>
      (error as TollgateError).toProblem(),
    );
    expect(resolved).toEqual([
      { request: expect.objectContaining({ tenant: 'acme' }) },
      { problem: expect.objectContaining({ code: 'key-invalid', status: 401 }) },
      { request: expect.objectContaining({ tenant: 'other' }) },
    ]);
  });
});

describe('a key is rejected', () => {
  it("as soon as its tenant's active record does not contain it", async () => {
    await call(issued.token);
    give('acme');
    expect(await call(issued.token)).toBe('key-invalid');
  });

  it('when its tenant does not exist any more', async () => {
    await call(issued.token);
    records.delete('acme');
    expect(await call(issued.token)).toBe('key-invalid');
  });

  it('from the millisecond of its expiry', async () => {
    give('acme', keyOf(issued.token, { expiresAtMs: NOW_MS + 1000 }));
    nowMs = NOW_MS + 999;
    expect(await call(issued.token)).toMatchObject({ tenant: 'acme' });
    nowMs = NOW_MS + 1000;
    expect(await call(issued.token)).toBe('key-invalid');
  });

  it('with an unknown pepper, but not with a known older one', async () => {
    give('acme', keyOf(issued.token, {}, 2));
    expect(await call(issued.token)).toMatchObject({ tenant: 'acme' });
    const [secret] = keyOf(issued.token).secrets;
    give('acme', { publicId: issued.publicId, secrets: [{ hash: secret?.hash ?? '', pepper: 3 }] });
    expect(await call(issued.token)).toBe('key-invalid');
  });

  it('if it is a token of another kind', async () => {
    for (const kind of ['tga', 'tgn'] as const) {
      expect(await call(issueToken(kind, 'live').token)).toBe('key-invalid');
    }
    expect(reads).toEqual([]);
  });

  it('outside its scopes', async () => {
    give('acme', keyOf(issued.token, { scopes: ['shop/sell', 'stock'] }));
    expect(await call(issued.token)).toBe('key-scope-missing');
    expect(await call(issued.token, { operation: 'sell' })).toMatchObject({ tenant: 'acme' });
    expect(await call(issued.token, { api: 'stock' })).toMatchObject({ tenant: 'acme' });
    expect(await call(issued.token, { operation: undefined })).toMatchObject({ tenant: 'acme' });
    expect(await call(issued.token, { api: 'sho', operation: undefined })).toBe('key-scope-missing');
  });
});

describe('a rotated key', () => {
  it('is valid with both secrets until the overlap ends, then with the new one', async () => {
    const next = issueToken('tgk', 'live', issued.publicId);
    const old = { ...keyOf(issued.token).secrets[0], untilMs: NOW_MS + 1000 } as KeyRecord['secrets'][number];
    give('acme', keyOf(next.token, { secrets: [...keyOf(next.token).secrets, old] }));
    for (const { token } of [issued, next]) expect(await call(token)).toMatchObject({ tenant: 'acme' });
    nowMs = NOW_MS + 1000;
    expect(await call(issued.token)).toBe('key-invalid');
    expect(await call(next.token)).toMatchObject({ tenant: 'acme' });
  });
});

describe('text that is no key', () => {
  it('is rejected without a lookup: any text', async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.anything(),
      fc
        .string({ unit: fc.constantFrom(...BASE62), minLength: 50, maxLength: 50 })
        .map((rest) => `tgk_live_${rest}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (key) => {
        if (key === undefined) return;
        expect(await call(key)).toBe('key-invalid');
        expect(reads).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is rejected without a lookup: a real key with one or two changed characters', async () => {
    const place = fc.nat(issued.token.length - 1);
    const change = fc.tuple(place, fc.constantFrom(...BASE62, '_', ' ', 'ä'));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
        const characters = [...issued.token];
        for (const [at, character] of changes) characters[at] = character;
        const key = characters.join('');
        if (key === issued.token) return;
        expect(await call(key)).toBe('key-invalid');
        expect(reads).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is looked up once in two seconds if never issued, and never again for a known id with a wrong secret', async () => {
    const invented = issueToken('tgk', 'live');
    for (let i = 0; i < 5; i++) expect(await call(invented.token)).toBe('key-invalid');
    expect(reads).toEqual([invented.publicId]);
    await call(issued.token);
    for (let i = 0; i < 5; i++) {
      expect(await call(issueToken('tgk', 'live', issued.publicId).token)).toBe('key-invalid');
    }
    expect(reads).toEqual([invented.publicId, issued.publicId]);
  });

  it('is found as soon as it is issued and active', async () => {
    const next = issueToken('tgk', 'live');
    expect(await call(next.token)).toBe('key-invalid');
    give('acme', keyOf(next.token));
    expect(await call(next.token)).toMatchObject({ tenant: 'acme' });
  });
});

describe('a key directory that does not answer', () => {
  it('makes the tenant unavailable, not the key invalid', async () => {
    const keys = new KeyDirectory(() => Promise.reject(new Error('away')));
    await expect(keys.tenantOf(issued.publicId)).rejects.toMatchObject({ code: 'tenant-unavailable' });
  });

  it('does not reuse a read that began before a policy change', async () => {
    let answer: (tenants: (string | null)[]) => void = () => undefined;
    const keys = new KeyDirectory(() => new Promise((resolve) => (answer = resolve)));
    const before = keys.tenantOf(issued.publicId);
    const answerBefore = answer;
    keys.onPolicyChange();
    answerBefore([null]);
    expect(await before).toBeNull();
    const after = keys.tenantOf(issued.publicId);
    answer(['acme']);
    expect(await after).toBe('acme');
  });
});
