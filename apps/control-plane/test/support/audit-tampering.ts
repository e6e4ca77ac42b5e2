import { AUDIT_CHAIN_VERSION, auditHash } from '@tollgate/contracts/audit-chain';
import { type AuditEntry, Prisma, type PrismaClient } from '@tollgate/database';
import type { Random } from '@tollgate/test-kit/random';

type Tx = Prisma.TransactionClient;

/** One way of tampering with a chain of `length` entries, as the owner of the database. Returns a description. */
export type Tampering = (tx: Tx, chain: string, length: number, next: Random['below']) => Promise<string>;

/** SQL values for the columns that an edit changes; each differs from the present value. */
const EDITS: Record<string, Prisma.Sql> = {
  actor: Prisma.sql`"actor" = "actor" || '!'`,
  actor_id: Prisma.sql`"actor_id" = coalesce("actor_id", '') || '!'`,
  actor_kind: Prisma.sql`"actor_kind" = CASE "actor_kind" WHEN 'USER' THEN 'SYSTEM' ELSE 'USER' END::"ActorKind"`,
  action: Prisma.sql`"action" = "action" || 'd'`,
  entity: Prisma.sql`"entity" = "entity" || 's'`,
  entity_id: Prisma.sql`"entity_id" = "entity_id" || '0'`,
  tenant_id: Prisma.sql`"tenant_id" = CASE WHEN "tenant_id" IS NULL THEN 'ten_x' END`,
  tenant_key: Prisma.sql`"tenant_key" = CASE WHEN "tenant_key" IS NULL THEN 'x' END`,
  before: Prisma.sql`"before" = CASE WHEN "before" IS NULL THEN '{}'::jsonb END`,
  after: Prisma.sql`"after" = jsonb_set(coalesce("after", '{}'), '{limit}', to_jsonb(coalesce(("after"->>'limit')::int, 0) + 1))`,
  reason: Prisma.sql`"reason" = coalesce("reason", '') || '.'`,
  at: Prisma.sql`"at" = "at" - interval '1 millisecond'`,
  id: Prisma.sql`"id" = "id" || '0'`,
  request_id: Prisma.sql`"request_id" = "request_id" || '0'`,
  change_id: Prisma.sql`"change_id" = "change_id" || '0'`,
  address: Prisma.sql`"address" = CASE WHEN "address" IS NULL THEN '10.0.0.1' END`,
  user_agent: Prisma.sql`"user_agent" = coalesce("user_agent", '') || '!'`,
  hash: Prisma.sql`"hash" = reverse("hash") || '0'`,
  previous_hash: Prisma.sql`"previous_hash" = repeat('f', 64)`,
};

const placeOf = (length: number, next: Random['below']) => 1 + next(length);

export const TAMPERINGS: Record<string, Tampering> = {
  edit: async (tx, chain, length, next) => {
    const names = Object.keys(EDITS);
    const name = names[next(names.length)] as string;
    const place = placeOf(length, next);
    const change = EDITS[name] as Prisma.Sql;
    await tx.$executeRaw`UPDATE "audit_entry" SET ${change} WHERE "chain" = ${chain} AND "sequence" = ${place}`;
    return `${name} of ${place}`;
  },
  // Recomputes the hash, as an attacker who knows the algorithm would.
  editWithHash: async (tx, chain, length, next) => {
    const place = placeOf(length, next);
    await rewrite(tx, chain, place, place);
    return `${place} with its hash`;
  },
  delete: async (tx, chain, length, next) => {
    const place = placeOf(length - 1, next);
    await tx.$executeRaw`DELETE FROM "audit_entry" WHERE "chain" = ${chain} AND "sequence" = ${place}`;
    return `${place}`;
  },
  deleteAndClose: async (tx, chain, length, next) => {
    const place = placeOf(length - 1, next);
    await tx.$executeRaw`DELETE FROM "audit_entry" WHERE "chain" = ${chain} AND "sequence" = ${place}`;
    await shift(tx, chain, place, -1);
    return `${place}, the rest moved up`;
  },
  reorder: async (tx, chain, length, next) => {
    const one = placeOf(length - 1, next);
    const other = one + 1 + next(length - one);
    await tx.$executeRaw`UPDATE "audit_entry" SET "sequence" = -"sequence" WHERE "chain" = ${chain} AND "sequence" IN (${one}, ${other})`;
    await tx.$executeRaw`UPDATE "audit_entry" SET "sequence" = CASE WHEN "sequence" = -${one}::bigint THEN ${other}::bigint ELSE ${one}::bigint END
      WHERE "chain" = ${chain} AND "sequence" < 0`;
    return `${one} and ${other}`;
  },
  insert: async (tx, chain, length, next) => {
    const place = placeOf(length, next);
    await shift(tx, chain, place - 1, 1);
    const [model] = await tx.auditEntry.findMany({ where: { chain, sequence: place + 1 } });
    await tx.auditEntry.create({
      data: forged(model as AuditEntry, place, (model as AuditEntry).previousHash),
    });
    return `at ${place}`;
  },
  insertAndRewrite: async (tx, chain, length, next) => {
    await TAMPERINGS.insert?.(tx, chain, length, () => 0);
    await rewrite(tx, chain, 1, length + 1 - next(2));
    return 'at 1, the rest rewritten';
  },
  truncate: async (tx, chain, length, next) => {
    const kept = next(length);
    await tx.$executeRaw`DELETE FROM "audit_entry" WHERE "chain" = ${chain} AND "sequence" > ${kept}`;
    return `after ${kept}`;
  },
  rewrite: async (tx, chain, length, next) => {
    const place = placeOf(length, next);
    await rewrite(tx, chain, place, length);
    return `from ${place} on`;
  },
  truncateAndGrow: async (tx, chain, length, next) => {
    const kept = length - 1 - next(Math.min(20, length - 1));
    await tx.$executeRaw`DELETE FROM "audit_entry" WHERE "chain" = ${chain} AND "sequence" > ${kept}`;
    const last = await tx.auditEntry.findFirstOrThrow({ where: { chain }, orderBy: { sequence: 'desc' } });
    let { hash } = last;
    for (let place = kept + 1; place <= length + 2; place++) {
      const row = forged(last, place, hash);
      hash = row.hash;
      await tx.auditEntry.create({ data: row });
    }
    return `after ${kept}, then others up to ${length + 2}`;
  },
};

/** Tampers in a transaction of the owner without triggers, runs `look`, and rolls back. */
export async function tamper<T>(
  owner: PrismaClient,
  work: (tx: Tx) => Promise<string>,
  look: (tx: Tx) => Promise<T>,
): Promise<{ what: string; seen: T }> {
  const undone = Symbol('undone');
  let answer: { what: string; seen: T } | undefined;
  await owner
    .$transaction(
      async (tx) => {
        // Disables triggers too, as the owner of the database can.
        await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
        const what = await work(tx);
        answer = { what, seen: await look(tx) };
        throw undone;
      },
      { timeout: 60_000, maxWait: 60_000 },
    )
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return answer as { what: string; seen: T };
}

async function shift(tx: Tx, chain: string, after: number, by: number): Promise<void> {
  await tx.$executeRaw`UPDATE "audit_entry" SET "sequence" = -("sequence" + ${by}) WHERE "chain" = ${chain} AND "sequence" > ${after}`;
  await tx.$executeRaw`UPDATE "audit_entry" SET "sequence" = -"sequence" WHERE "chain" = ${chain} AND "sequence" < 0`;
}

/** Changes the entry at `from` and recomputes all hashes up to `to`. */
async function rewrite(tx: Tx, chain: string, from: number, to: number): Promise<void> {
  const rows = await tx.auditEntry.findMany({
    where: { chain, sequence: { gte: from, lte: to } },
    orderBy: { sequence: 'asc' },
  });
  let previousHash = rows[0]?.previousHash ?? '';
  for (const row of rows) {
    const reason = Number(row.sequence) === from ? 'nothing to see here' : row.reason;
    const hash = hashOf({ ...row, reason, previousHash });
    await tx.auditEntry.update({ where: { id: row.id }, data: { reason, previousHash, hash } });
    previousHash = hash;
  }
}

function forged(model: AuditEntry, place: number, previousHash: string) {
  const { before, after, ...facts } = model;
  const row = { ...facts, id: `evt_forged${place}`, sequence: BigInt(place), previousHash, actor: 'nobody' };
  const hash = hashOf({ ...row, before, after });
  return { ...row, hash, ...(before === null ? {} : { before }), ...(after === null ? {} : { after }) };
}

function hashOf(row: AuditEntry): string {
  const { chainVersion, at, sequence, hash: _, ...facts } = row;
  const version = chainVersion ?? AUDIT_CHAIN_VERSION;
  return auditHash({ ...facts, version, at: at.toISOString(), sequence: Number(sequence) });
}
