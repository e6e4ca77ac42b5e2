import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AlertsModule } from '../src/features/alerts/alerts.module.js';
import { AlertsRepository } from '../src/features/alerts/alerts.repository.js';
import { ApiKeysModule, ApiKeysRepository } from '../src/features/api-keys/index.js';
import { InvitationsRepository, MembersModule } from '../src/features/members/index.js';
import { MembersRepository } from '../src/features/members/members.repository.js';
import { newId } from '../src/platform/ids/new-id.js';
import { Database } from '../src/platform/prisma/database.js';
import { runInScope } from '../src/platform/scope/tenant-scope.js';
import { startTestServices, type TestServices } from './support/test-services.js';

const PAGE = { first: 10, after: undefined };
const SECRET = { hash: '0'.repeat(64), pepperVersion: 1, lastFour: 'aaaa' };
const NOW = new Date();

/** The rows of one tenant, by what they are. */
interface Rows {
  tenantId: string;
  keyId: string;
  publicId: string;
  invitationId: string;
  tokenHash: string;
  memberId: string;
  alertId: string;
}

let services: TestServices;
let database: Database;
let keys: ApiKeysRepository;
let invitations: InvitationsRepository;
let members: MembersRepository;
let alerts: AlertsRepository;
let acme: Rows;
let other: Rows;

beforeAll(async () => {
  services = await startTestServices([ApiKeysModule, AlertsModule, MembersModule]);
  const get = <T>(type: new (...args: never[]) => T): T => services.context.get(type, { strict: false });
  database = get(Database);
  keys = get(ApiKeysRepository);
  invitations = get(InvitationsRepository);
  members = get(MembersRepository);
  alerts = get(AlertsRepository);
  [acme, other] = [await fill('acme'), await fill('other')];
});
afterAll(() => services.stop());

async function fill(key: string): Promise<Rows> {
  const tx = database.client;
  const { id: tenantId } = await tx.tenant.create({ data: { id: newId('tenant'), key, name: key } });
  const user = await tx.user.create({ data: { id: newId('user'), name: key, email: `${key}@example.com` } });
  const publicId = key.padEnd(12, '0');
  const data = { publicId, mode: 'LIVE' as const, name: key, scopes: [], expiresAt: null, createdBy: key };
  const apiKey = await keys.create(tx, tenantId, data, SECRET);
  const tokenHash = key.padEnd(64, '0');
  const invited = {
    email: 'same@example.com',
    tokenHash,
    invitedBy: key,
    expiresAt: new Date(Date.now() + 60_000),
  };
  const invitation = await invitations.create(tx, { tenantId, role: 'VIEWER' }, invited);
  const member = await members.join(tx, tenantId, {
    email: 'same@example.com',
    name: key,
    role: 'OWNER',
    userId: user.id,
  });
  await alerts.put(tx, tenantId, { apiKey: '', limitName: '' }, [50]);
  const [alert] = await alerts.list(tenantId);
  const ids = {
    keyId: apiKey.id,
    invitationId: invitation.id,
    memberId: member.id,
    alertId: alert?.id ?? '',
  };
  return { tenantId, publicId, tokenHash, ...ids };
}

/** Each method, asked for another tenant's row; what it gives or leaves. */
const cases: [method: string, ask: () => Promise<unknown>, nothing: unknown][] = [
  ['ApiKeysRepository.list', () => keys.list(other.tenantId, PAGE), []],
  ['ApiKeysRepository.count', () => keys.count(other.tenantId), 0],
  ['ApiKeysRepository.countLive', () => keys.countLive(database.client, other.tenantId, NOW), 0],
  ['ApiKeysRepository.findById', () => keys.findById(other.keyId), null],
  ['InvitationsRepository.listOpen', () => invitations.listOpen(other.tenantId, PAGE), []],
  ['InvitationsRepository.countOpen', () => invitations.countOpen(other.tenantId), 0],
  ['InvitationsRepository.findByHash', () => invitations.findByHash(other.tokenHash), null],
  ['MembersRepository.countOwners', () => members.countOwners(database.client, other.tenantId), 0],
  [
    'MembersRepository.findByEmail',
    () => members.findByEmail(database.client, other.tenantId, 'same@example.com'),
    null,
  ],
  ['AlertsRepository.list', () => alerts.list(other.tenantId), []],
];

describe('in the scope of one tenant, another one has no rows, whatever is asked', () => {
  it.each(cases)('%s', async (_, ask, nothing) => {
    expect(await runInScope([acme.tenantId], ask)).toEqual(nothing);
    expect(await runInScope([other.tenantId], ask)).not.toEqual(nothing);
  });
});

describe('a row is not found under another tenant, also where everything may be seen', () => {
  it('of keys, invitations, members, thresholds', async () => {
    const tx = database.client;
    expect(await keys.findOf(tx, acme.tenantId, other.keyId)).toBeNull();
    expect(await invitations.lockOpen(tx, acme.tenantId, other.invitationId)).toBeNull();
    expect(await invitations.lockOpen(tx, null, other.invitationId)).toBeNull();
    expect(await members.findOf(tx, acme.tenantId, other.memberId)).toBeNull();
    expect(await members.setRole(tx, acme.tenantId, other.memberId, 'VIEWER')).toBeNull();
    await members.remove(tx, acme.tenantId, other.memberId);
    await alerts.remove(tx, acme.tenantId, other.alertId);
    await keys.revoke(tx, acme.tenantId, other.keyId, NOW);
    expect(await tx.member.findUnique({ where: { id: other.memberId } })).toMatchObject({ role: 'OWNER' });
    expect(await tx.alertThreshold.count({ where: { id: other.alertId } })).toBe(1);
    expect(await keys.findById(other.keyId)).toMatchObject({ revokedAt: null });
  });

  it('nor changed: a rotation in the name of another tenant breaks, a use in its scope is not noted', async () => {
    await expect(keys.rotate(database.client, acme.tenantId, other.keyId, SECRET, NOW)).rejects.toThrow();
    const use = [{ publicId: other.publicId, atMs: Date.now() }];
    await runInScope([acme.tenantId], () => database.transaction((tx) => keys.noteUses(tx, use)));
    expect(await keys.findById(other.keyId)).toMatchObject({ lastUsedAt: null });
    await database.transaction((tx) => keys.noteUses(tx, use));
    expect(await keys.findById(other.keyId)).toMatchObject({ lastUsedAt: expect.any(Date) });
  });
});
