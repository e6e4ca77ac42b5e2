import { AUDIT_CHAIN_VERSION, auditHash, NO_PREVIOUS_HASH } from '@tollgate/contracts/audit-chain';
import type { PrismaClient } from '@tollgate/database';
import { newId } from '../../src/platform/ids.js';

const ROWS_A_STATEMENT = 5000;

/** Fills a chain with valid entries without changes, to test chains of a length that takes years to grow. */
export async function fillChain(
  owner: PrismaClient,
  chain: string,
  tenantId: string | null,
  length: number,
): Promise<void> {
  let hash = NO_PREVIOUS_HASH;
  const startMs = Date.UTC(2026, 0, 1);
  for (let from = 1; from <= length; from += ROWS_A_STATEMENT) {
    const rows = [];
    for (let sequence = from; sequence < from + ROWS_A_STATEMENT && sequence <= length; sequence++) {
      const facts = {
        chain,
        sequence,
        version: AUDIT_CHAIN_VERSION,
        previousHash: hash,
        id: newId('auditEntry'),
        at: new Date(startMs + sequence * 1000).toISOString(),
        actorKind: 'USER',
        actorId: 'usr_019aa5f0a0007000800000000000000a',
        actor: 'somebody@example.com',
        action: 'tenant.update',
        entity: 'Tenant',
        entityId: tenantId ?? 'ten_none',
        tenantId,
        tenantKey: tenantId === null ? null : chain,
        before: { name: `Name ${sequence - 1}`, timeZone: 'UTC', billingAnchorDay: 1, limit: sequence - 1 },
        after: { name: `Name ${sequence}`, timeZone: 'UTC', billingAnchorDay: 1, limit: sequence },
        reason: sequence % 3 === 0 ? 'asked for by the customer' : null,
        requestId: newId('request'),
        changeId: newId('change'),
        address: '203.0.113.7',
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
        entityName: `Name ${sequence}`,
        entityKey: null,
        revertedName: null,
      };
      hash = auditHash(facts);
      rows.push({ ...facts, hash });
    }
    await owner.$executeRaw`
      INSERT INTO "audit_entry" ("chain", "sequence", "chain_version", "previous_hash", "hash", "id", "at", "actor_kind", "actor_id",
        "actor", "action", "entity", "entity_id", "tenant_id", "tenant_key", "before", "after", "reason", "request_id", "change_id",
        "address", "user_agent", "entity_name", "entity_key", "reverted_name")
      SELECT "chain", "sequence", "version", "previousHash", "hash", "id", "at", "actorKind"::"ActorKind", "actorId", "actor", "action",
        "entity", "entityId", "tenantId", "tenantKey", "before", "after", "reason", "requestId", "changeId", "address", "userAgent",
        "entityName", "entityKey", "revertedName"
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row("chain" text, "sequence" bigint, "version" int, "previousHash" text,
        "hash" text, "id" text, "at" timestamptz, "actorKind" text, "actorId" text, "actor" text, "action" text, "entity" text,
        "entityId" text, "tenantId" text, "tenantKey" text, "before" jsonb, "after" jsonb, "reason" text, "requestId" text,
        "changeId" text, "address" text, "userAgent" text, "entityName" text, "entityKey" text, "revertedName" text)`;
  }
}
