import { Injectable } from '@nestjs/common';
import { newId } from '../ids.js';
import { Database, type Tx } from '../prisma/database.js';
import { hashKey, type IdempotentRequest } from './idempotent-request.js';

const KEPT_HOURS = 24;

export interface StoredKey {
  id: string;
  bodyHash: Uint8Array;
  /** Null while the request runs. */
  answer: Uint8Array | null;
}

/** Keys belong to no tenant; the hash includes the actor. */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims a new key, or one whose lease has expired, atomically. Returns its id; undefined if it is held, answered, or
   * belongs to another request.
   */
  async claim(request: IdempotentRequest, leaseId: string, leaseMs: number): Promise<string | undefined> {
    const rows = await this.database.requests.$queryRaw<{ id: string }[]>`
      INSERT INTO idempotency_key AS k (id, key_hash, body_hash, lease_id, lease_until, expires_at)
      VALUES (${newId('idempotencyKey')}, ${hashKey(request)}, ${request.bodyHash}, ${leaseId},
        now() + ${leaseMs} * interval '1 millisecond', now() + ${KEPT_HOURS} * interval '1 hour')
      ON CONFLICT (key_hash) DO UPDATE SET lease_id = excluded.lease_id, lease_until = excluded.lease_until
        WHERE k.answer IS NULL AND k.lease_until < now() AND k.body_hash = excluded.body_hash
      RETURNING id`;
    return rows[0]?.id;
  }

  /** Expiry by the database's clock, as in `claim`. */
  async find(request: IdempotentRequest): Promise<StoredKey | undefined> {
    const rows = await this.database.requests.$queryRaw<StoredKey[]>`
      SELECT id, body_hash AS "bodyHash", answer FROM idempotency_key
      WHERE key_hash = ${hashKey(request)} AND expires_at > now()`;
    return rows[0];
  }

  /** Returns whether the key was still held. */
  async renew(leaseId: string, leaseMs: number): Promise<boolean> {
    const renewed = await this.database.requests.$executeRaw`
      UPDATE idempotency_key SET lease_until = now() + ${leaseMs} * interval '1 millisecond' WHERE lease_id = ${leaseId}`;
    return renewed > 0;
  }

  /** Returns whether the key was still held. */
  async answer(leaseId: string, answer: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const { count } = await this.database.requests.idempotencyKey.updateMany({
      where: { leaseId },
      data: { answer },
    });
    return count > 0;
  }

  /** Ends the lease; completed steps remain. */
  async release(leaseId: string): Promise<void> {
    await this.database.requests.$executeRaw`
      UPDATE idempotency_key SET lease_until = '-infinity' WHERE lease_id = ${leaseId}`;
  }

  /** Returns the number of deleted keys. */
  async deleteExpired(): Promise<number> {
    return this.database.requests.$executeRaw`DELETE FROM idempotency_key WHERE expires_at <= now()`;
  }

  /** Claims a step, waiting for concurrent transactions. Returns the outcome of a completed step. */
  async beginStep(tx: Tx, keyId: string, name: string): Promise<Uint8Array | undefined> {
    await this.database.enterRequest(tx, keyId);
    const made = await tx.$executeRaw`
      INSERT INTO idempotency_step (key_id, name) VALUES (${keyId}, ${name}) ON CONFLICT DO NOTHING`;
    if (made > 0) return undefined;
    const { outcome } = await tx.idempotencyStep.findUniqueOrThrow({
      where: { keyId_name: { keyId, name } },
    });
    return outcome ?? undefined;
  }

  async finishStep(tx: Tx, keyId: string, name: string, outcome: Uint8Array<ArrayBuffer>): Promise<void> {
    await tx.idempotencyStep.update({ where: { keyId_name: { keyId, name } }, data: { outcome } });
  }
}
