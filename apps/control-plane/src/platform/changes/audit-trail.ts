import type { AuditAction, AuditEntity } from '@tollgate/contracts/audit-actions';
import { AUDIT_CHAIN_VERSION, auditHash, PLATFORM_CHAIN } from '@tollgate/contracts/audit-chain';
import type { Prisma } from '@tollgate/database';
import type { Caller } from '../access/actor.js';
import { newId } from '../ids.js';
import type { Tx } from '../prisma/database.js';

export interface AuditFacts {
  action: AuditAction;
  entityId: string;
  /** Name of the object at this time, as users know it. */
  entityName: string;
  /** Part of the object's address in the console, if it is neither its id nor the tenant's key. */
  entityKey?: string;
  tenantKey?: string;
  before: Prisma.InputJsonObject | null;
  after: Prisma.InputJsonObject | null;
}

export interface PendingEntry extends AuditFacts {
  /** Type of the object, such as `Tier`. */
  entity: AuditEntity;
  reason: string | null;
  /** Name of the object in the change that this one reverts. */
  revertedName: string | null;
}

interface Head {
  chain: string;
  tenant_id: string | null;
  sequence: bigint;
  hash: string;
}

const MAX_USER_AGENT_LENGTH = 300;

/**
 * Appends the entries of a change to their chains. Called last in a transaction, because it locks each chain until the
 * commit.
 */
export async function writeAuditTrail(
  tx: Tx,
  {
    caller,
    changeId,
    at,
    entries,
  }: { caller: Caller; changeId: string; at: Date; entries: readonly PendingEntry[] },
): Promise<void> {
  if (entries.length === 0) return;
  const chains = [...new Set(entries.map(chainOf))];
  const found = await tx.$queryRaw<Head[]>`SELECT * FROM "tollgate_audit_heads"(${chains}::text[])`;
  const heads = new Map(found.map((head) => [head.chain, head]));
  // Sorted, because lists are ordered by id and ids within one millisecond are not ordered.
  const ids = entries.map(() => newId('auditEntry')).sort();
  const rows = entries.map((entry, index) => {
    const head = heads.get(chainOf(entry)) as Head;
    const row = rowOf(entry, head, { id: ids[index] as string, caller, changeId, at });
    head.sequence = row.sequence;
    head.hash = row.hash;
    return row;
  });
  await tx.auditEntry.createMany({ data: rows });
}

function rowOf(
  entry: PendingEntry,
  head: Head,
  { id, caller, changeId, at }: { id: string; caller: Caller; changeId: string; at: Date },
) {
  const facts = {
    chain: head.chain,
    sequence: Number(head.sequence) + 1,
    previousHash: head.hash,
    id,
    at: at.toISOString(),
    actorKind: caller.actor.kind,
    actorId: caller.actor.id,
    actor: caller.actor.label,
    action: entry.action,
    entity: entry.entity,
    entityId: entry.entityId,
    tenantId: head.tenant_id,
    tenantKey: entry.tenantKey ?? null,
    before: entry.before,
    after: entry.after,
    reason: entry.reason,
    requestId: caller.requestId,
    changeId,
    address: caller.address ?? null,
    userAgent: caller.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    entityName: entry.entityName,
    entityKey: entry.entityKey ?? null,
    revertedName: entry.revertedName,
  };
  const hash = auditHash({ ...facts, version: AUDIT_CHAIN_VERSION });
  const { before, after, sequence, ...columns } = facts;
  return {
    ...columns,
    sequence: BigInt(sequence),
    chainVersion: AUDIT_CHAIN_VERSION,
    hash,
    at,
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  };
}

function chainOf({ tenantKey }: AuditFacts): string {
  return tenantKey ?? PLATFORM_CHAIN;
}

/** A stored audit entry, for reverts. */
export interface RecordedEntry {
  action: string;
  entity: string;
  entityId: string;
  entityName: string | null;
  tenantKey: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Input of a command that reverts a change in a tenant; null for other changes. */
export async function tenantInputOf({ tenantKey }: RecordedEntry): Promise<{ tenantKey: string } | null> {
  return tenantKey === null ? null : { tenantKey };
}
