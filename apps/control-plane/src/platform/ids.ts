import { randomBytes } from 'node:crypto';

/** Prefixes of ids by kind. */
export const ID_PREFIXES = {
  user: 'usr',
  session: 'ses',
  account: 'acc',
  verification: 'vrf',
  twoFactor: 'tfa',
  passkey: 'psk',
  tenant: 'ten',
  member: 'mem',
  invitation: 'ivt',
  apiKey: 'key',
  apiKeySecret: 'sec',
  alertThreshold: 'alr',
  subscription: 'sub',
  subscriptionMove: 'mov',
  scheduledChange: 'sch',
  entitlement: 'ent',
  override: 'ovr',
  subjectRule: 'sru',
  quotaRequest: 'qrq',
  api: 'api',
  operation: 'opr',
  pool: 'pool',
  tier: 'tier',
  tierVersion: 'tver',
  publicationGuard: 'pgd',
  simulation: 'sim',
  limit: 'lim',
  defaultLimit: 'dlm',
  savedView: 'view',
  serviceToken: 'stk',
  auditEntry: 'evt',
  changeSet: 'cst',
  changeSetItem: 'csi',
  bulkAction: 'blk',
  idempotencyKey: 'idk',
  offer: 'ofr',
  autoTopUp: 'atu',
  purchase: 'pur',
  purchaseEvent: 'pev',
  paymentEventReview: 'per',
  moneyEntry: 'mny',
  invoice: 'inv',
  testOrder: 'tpo',
  testCharge: 'tpc',
  testSavedCard: 'tsc',
  testEvent: 'tpe',
  notice: 'ntc',
  mail: 'mail',
  webhookEndpoint: 'whe',
  webhookDelivery: 'msg',
  webhookAttempt: 'wha',
  change: 'chg',
  request: 'req',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const ID_PATTERN = /^([a-z]{3,4})_[0-9a-f]{32}$/;
const KIND_OF_PREFIX = new Map<string, IdKind>(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix, kind as IdKind]),
);

let lastMs = 0;
let idsInMs = 0;

/**
 * A new id: the prefix and a UUIDv7 without hyphens, `ten_0190…`. The ids of one process sort in order of creation: a
 * counter follows the milliseconds (RFC 9562, 6.2 method 1), as long as the clock is not set back.
 */
export function newId(kind: IdKind): string {
  const nowMs = Date.now();
  idsInMs = nowMs === lastMs ? idsInMs + 1 : 0;
  lastMs = nowMs;
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | (idsInMs & 0x0fff), 6);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return `${ID_PREFIXES[kind]}_${bytes.toString('hex')}`;
}

/** Undefined for malformed ids. */
export function kindOfId(id: string): IdKind | undefined {
  return KIND_OF_PREFIX.get(ID_PATTERN.exec(id)?.[1] ?? '');
}
