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
  quotaRequest: 'qrq',
  api: 'api',
  operation: 'opr',
  pool: 'pool',
  tier: 'tier',
  tierVersion: 'tver',
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
  purchase: 'pur',
  purchaseEvent: 'pev',
  paymentEventReview: 'per',
  moneyEntry: 'mny',
  invoice: 'inv',
  testOrder: 'tpo',
  testCharge: 'tpc',
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

/** A new id: the prefix and a UUIDv7 without hyphens, `ten_0190…`. Sortable by millisecond. */
export function newId(kind: IdKind): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return `${ID_PREFIXES[kind]}_${bytes.toString('hex')}`;
}

/** Undefined for malformed ids. */
export function kindOfId(id: string): IdKind | undefined {
  return KIND_OF_PREFIX.get(ID_PATTERN.exec(id)?.[1] ?? '');
}
