import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CustomersModule,
  OverridesRepository,
  SubjectRulesRepository,
} from '../src/features/customers/index.js';
import { QuotaRequestsRepository } from '../src/features/customers/quota-requests/quota-requests.repository.js';
import { RevisionsModule } from '../src/features/governance/index.js';
import { RevisionHistoryRepository } from '../src/features/governance/revisions/revisions.repository.js';
import { ApiKeysModule, ApiKeysRepository } from '../src/features/identity/index.js';
import { InvitationsRepository, MembersModule } from '../src/features/people/index.js';
import { MembersRepository } from '../src/features/people/members/invitations.repository.js';
import { AlertsRepository } from '../src/features/usage/alerts/alerts.repository.js';
import { AlertsModule } from '../src/features/usage/usage.modules.js';
import { ChangeRunner } from '../src/platform/changes/change.js';
import { newId } from '../src/platform/ids.js';
import { Database, type Tx } from '../src/platform/prisma/database.js';
import { runInScope } from '../src/platform/tenant-scope.js';
import { CALLER } from './support/test-app.js';
import { startTestServices, type TestServices } from './support/test-services.js';

const PAGE = { first: 10, after: undefined };
const SECRET = { hash: '0'.repeat(64), pepperVersion: 1, lastFour: 'aaaa' };
const NOW = new Date();
const AGO = new Date(NOW.getTime() - 60_000);
const ENDED = new Date(NOW.getTime() - 1000);
const LIMIT = { apiKey: 'shop', limitName: 'per-minute' };
const SUBJECTS = { dimension: 'user', pattern: 'mallory', apiKey: null, limitName: null };
const TARGET = { kind: 'OVERRIDE' as const, appliesTo: null };

/** Rows of one tenant by kind. */
interface Rows {
  tenantId: string;
  keyId: string;
  publicId: string;
  invitationId: string;
  tokenHash: string;
  memberId: string;
  alertId: string;
  overrideId: string;
  ruleId: string;
  requestId: string;
  changeId: string;
}

let services: TestServices;
let database: Database;
let keys: ApiKeysRepository;
let invitations: InvitationsRepository;
let members: MembersRepository;
let alerts: AlertsRepository;
let overrides: OverridesRepository;
let rules: SubjectRulesRepository;
let requests: QuotaRequestsRepository;
let history: RevisionHistoryRepository;
let acme: Rows;
let other: Rows;

beforeAll(async () => {
  services = await startTestServices([
    ApiKeysModule,
    AlertsModule,
    MembersModule,
    CustomersModule,
    RevisionsModule,
  ]);
  const get = <T>(type: new (...args: never[]) => T): T => services.context.get(type, { strict: false });
  database = get(Database);
  keys = get(ApiKeysRepository);
  invitations = get(InvitationsRepository);
  members = get(MembersRepository);
  alerts = get(AlertsRepository);
  overrides = get(OverridesRepository);
  rules = get(SubjectRulesRepository);
  requests = get(QuotaRequestsRepository);
  history = get(RevisionHistoryRepository);
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
    id: newId('invitation'),
    email: 'same@example.com',
    tokenHash,
    sealedToken: null,
    invitedBy: key,
    inviterId: null,
    expiresAt: new Date(Date.now() + 60_000),
  };
  const invitation = await invitations.create(tx, { tenantId, role: 'VIEWER' }, invited);
  const member = await members.join(tx, tenantId, {
    email: 'same@example.com',
    name: key,
    role: 'OWNER',
    userId: user.id,
  });
  await alerts.put(tx, [{ tenantId, apiKey: '', limitName: '', percents: [50] }]);
  const [alert] = await alerts.list(tenantId);
  const times = { startsAt: AGO, createdAt: AGO };
  const [override] = await overrides.create(tx, [
    {
      id: newId('override'),
      tenantId,
      ...LIMIT,
      ...TARGET,
      ...times,
      effect: { kind: 'set', limit: 5 },
      reason: key,
      carryOver: 'KEEP',
      createdBy: key,
      endsAt: ENDED,
    },
  ]);
  const [rule] = await rules.create(tx, [
    {
      id: newId('subjectRule'),
      tenantId,
      ...SUBJECTS,
      ...times,
      effect: { kind: 'deny' },
      reason: key,
      createdBy: key,
    },
  ]);
  const request = await requests.create(tx, {
    id: newId('quotaRequest'),
    tenantId,
    ...LIMIT,
    current: 1,
    wanted: 2,
    why: key,
    requestedBy: key,
    createdAt: AGO,
    updatedAt: AGO,
  });
  const changeId = await changed(tenantId, key);
  const ids = {
    overrideId: override?.id ?? '',
    ruleId: rule?.id ?? '',
    requestId: request.id,
    changeId,
    keyId: apiKey.id,
    invitationId: invitation.id,
    memberId: member.id,
    alertId: alert?.id ?? '',
  };
  return { tenantId, publicId, tokenHash, ...ids };
}

/** A change with an entry in the tenant's audit log. */
async function changed(tenantId: string, tenantKey: string): Promise<string> {
  const outcome = await services.context
    .get(ChangeRunner, { strict: false })
    .run(CALLER, { reason: null }, async (change) => {
      await change.audit({
        action: 'tenant.update',
        entityId: tenantId,
        entityName: tenantKey,
        tenantKey,
        before: null,
        after: { name: tenantKey },
      });
      return change.id;
    });
  return outcome.ok ? outcome.value : '';
}

const rulesOf = ({ tenantId }: Rows) => ({ tenantId, liveAt: undefined, search: undefined });
const overridesOf = ({ tenantId }: Rows) => ({ tenantId, kind: undefined, liveAt: undefined });
const requestsOf = ({ tenantId }: Rows) => ({ tenantId, status: undefined });
/** The rows of one tenant. */
const of =
  ({ tenantId }: Rows) =>
  (rows: { tenantId: string }[]) =>
    rows.filter((row) => row.tenantId === tenantId);

/** Each method called for another tenant's row, with its result. */
const cases: [method: string, ask: () => Promise<unknown>, nothing: unknown][] = [
  ['ApiKeysRepository.list', () => keys.list(other.tenantId, PAGE), []],
  ['ApiKeysRepository.count', () => keys.count(other.tenantId), 0],
  ['ApiKeysRepository.countLive', () => keys.countLive(database.client, other.tenantId, NOW), 0],
  ['ApiKeysRepository.findById', () => keys.findById(other.keyId), null],
  ['InvitationsRepository.list', () => invitations.list(other.tenantId, PAGE), []],
  ['InvitationsRepository.count', () => invitations.count(other.tenantId), 0],
  ['InvitationsRepository.findById', () => invitations.findById(other.invitationId), null],
  ['InvitationsRepository.findByHash', () => invitations.findByHash(other.tokenHash), null],
  ['MembersRepository.countOwners', () => members.countOwners(database.client, other.tenantId), 0],
  [
    'MembersRepository.findByEmail',
    () => members.findByEmail(database.client, other.tenantId, 'same@example.com'),
    null,
  ],
  ['AlertsRepository.list', () => alerts.list(other.tenantId), []],
  ['OverridesRepository.list', () => overrides.list(overridesOf(other), PAGE), []],
  [
    'OverridesRepository.list of everybody',
    () => overrides.list({ ...overridesOf(other), tenantId: null }, PAGE).then(of(other)),
    [],
  ],
  ['OverridesRepository.listKept', () => overrides.listKept(other.tenantId, AGO, PAGE), []],
  ['OverridesRepository.count', () => overrides.count(overridesOf(other)), 0],
  ['OverridesRepository.findById', () => overrides.findById(other.overrideId), null],
  [
    'OverridesRepository.findLive',
    () => overrides.findLive(database.client, other.tenantId, { ...LIMIT, ...TARGET }, AGO),
    null,
  ],
  [
    'OverridesRepository.listEndedWithoutNotice',
    () => overrides.listEndedWithoutNotice(AGO, NOW).then(of(other)),
    [],
  ],
  ['SubjectRulesRepository.list', () => rules.list(rulesOf(other), PAGE), []],
  ['SubjectRulesRepository.count', () => rules.count(rulesOf(other)), 0],
  ['SubjectRulesRepository.findById', () => rules.findById(other.ruleId), null],
  ['SubjectRulesRepository.listLive', () => rules.listLive(other.tenantId, NOW), []],
  ['SubjectRulesRepository.listLiveOf', () => rules.listLiveOf(database.client, [other.tenantId], NOW), []],
  ['QuotaRequestsRepository.list', () => requests.list(requestsOf(other), PAGE), []],
  [
    'QuotaRequestsRepository.list of everybody',
    () => requests.list({ ...requestsOf(other), tenantId: null }, PAGE).then(of(other)),
    [],
  ],
  ['QuotaRequestsRepository.count', () => requests.count(requestsOf(other)), 0],
  ['QuotaRequestsRepository.findById', () => requests.findById(other.requestId), null],
  [
    'QuotaRequestsRepository.findUndecided',
    () => requests.findUndecided(database.client, other.tenantId, LIMIT.apiKey, LIMIT.limitName),
    null,
  ],
  ['RevisionHistoryRepository.listChanges', () => history.listChanges([other.changeId]), []],
];

describe('the scope of one tenant has no rows of another tenant, for every method', () => {
  it.each(cases)('%s', async (_, ask, nothing) => {
    expect(await runInScope([acme.tenantId], ask)).toEqual(nothing);
    expect(await runInScope([other.tenantId], ask)).not.toEqual(nothing);
  });
});

describe('a row of another tenant, even in the scope of all tenants,', () => {
  it('is not found: keys, invitations, members, thresholds', async () => {
    const tx = database.client;
    expect(await keys.findOf(tx, acme.tenantId, other.keyId)).toBeNull();
    expect(await invitations.lockOpen(tx, acme.tenantId, other.invitationId)).toBeNull();
    expect(await invitations.lockOpen(tx, null, other.invitationId)).toBeNull();
    expect(await members.findOf(tx, acme.tenantId, other.memberId)).toBeNull();
    expect(await members.setRole(tx, acme.tenantId, other.memberId, 'VIEWER')).toBeNull();
    await members.remove(tx, acme.tenantId, other.memberId);
    await alerts.remove(tx, [{ tenantId: acme.tenantId, id: other.alertId }]);
    await keys.revoke(tx, acme.tenantId, other.keyId, NOW);
    expect(await tx.member.findUnique({ where: { id: other.memberId } })).toMatchObject({ role: 'OWNER' });
    expect(await tx.alertThreshold.count({ where: { id: other.alertId } })).toBe(1);
    expect(await keys.findById(other.keyId)).toMatchObject({ revokedAt: null });
  });

  it('is not changed: a rotation fails, and a use is not recorded', async () => {
    await expect(keys.rotate(database.client, acme.tenantId, other.keyId, SECRET, NOW)).rejects.toThrow();
    const use = [{ publicId: other.publicId, atMs: Date.now() }];
    await runInScope([acme.tenantId], () => database.transaction((tx) => keys.recordUses(tx, use)));
    expect(await keys.findById(other.keyId)).toMatchObject({ lastUsedAt: null });
    await database.transaction((tx) => keys.recordUses(tx, use));
    expect(await keys.findById(other.keyId)).toMatchObject({ lastUsedAt: expect.any(Date) });
  });

  it('is not written: neither updates nor inserts are possible', async () => {
    const inAcme = <T>(work: (tx: Tx) => Promise<T>) =>
      runInScope([acme.tenantId], () => database.transaction(work));
    const foreign = await overrides.findById(other.overrideId);
    if (foreign === null) throw new Error('the other tenant has no override');
    await expect(inAcme((tx) => overrides.remove(tx, [foreign], NOW, 'me'))).rejects.toThrow();
    await expect(
      inAcme((tx) => requests.update(tx, other.requestId, { status: 'APPROVED' })),
    ).rejects.toThrow();
    const stolen = await requests.findById(other.requestId);
    expect(stolen).toMatchObject({ status: 'OPEN', version: 1 });
    expect(await overrides.findById(other.overrideId)).toMatchObject({ removedAt: null });
    const override = { ...foreign, effect: { kind: 'set', limit: 5 }, id: newId('override') };
    const request = { ...stolen, id: newId('quotaRequest') };
    await expect(inAcme((tx) => overrides.create(tx, [override]))).rejects.toThrow();
    await expect(
      inAcme((tx) => requests.create(tx, request as Parameters<typeof requests.create>[1])),
    ).rejects.toThrow();
  });
});
