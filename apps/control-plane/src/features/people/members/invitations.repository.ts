import { Injectable } from '@nestjs/common';
import type { Invitation, Prisma } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/paging.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type InvitationRow = Invitation;

/** An invitation with the tenant that it leads to; null: it makes one, or an operator. */
export type InvitationOfPlace = InvitationRow & { tenant: { name: string; key: string } | null };

/** What an invitation asks for: a place in a tenant, a role as an operator, or a tenant of one's own. */
export type InvitationTo =
  | Required<Pick<Prisma.InvitationUncheckedCreateInput, 'tenantId' | 'role'>>
  | Required<Pick<Prisma.InvitationUncheckedCreateInput, 'operatorRole'>>
  | Required<Pick<Prisma.InvitationUncheckedCreateInput, 'signUpKey' | 'signUpName'>>;

const OPEN = { acceptedAt: null, revokedAt: null } satisfies Prisma.InvitationWhereInput;

/** All queries on invitations. */
@Injectable()
export class InvitationsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Open ones, newest first; one row more than the page holds, when there is one.
   * @param tenantId null: those of operators
   */
  listOpen(tenantId: string | null, page: Page<string>): Promise<InvitationRow[]> {
    return this.database.client.invitation.findMany({
      where: { ...ofPlace(tenantId), ...(page.after === undefined ? {} : { id: { lt: page.after } }) },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  countOpen(tenantId: string | null): Promise<number> {
    return this.database.client.invitation.count({ where: ofPlace(tenantId) });
  }

  findById(id: string): Promise<InvitationRow | null> {
    return this.database.client.invitation.findUnique({ where: { id } });
  }

  /** With the name of the tenant that it leads to. */
  findByHash(tokenHash: string): Promise<InvitationOfPlace | null> {
    return this.database.client.invitation.findUnique({
      where: { tokenHash },
      include: { tenant: { select: { name: true, key: true } } },
    });
  }

  /** The invitation of a token, locked until the transaction ends. */
  async lockByHash(tx: Tx, tokenHash: string): Promise<InvitationOfPlace | null> {
    await tx.$queryRaw`SELECT 1 FROM "invitation" WHERE "token_hash" = ${tokenHash} FOR UPDATE`;
    return tx.invitation.findUnique({
      where: { tokenHash },
      include: { tenant: { select: { name: true, key: true } } },
    });
  }

  /** An open invitation of a tenant, or of operators; locked until the transaction ends. */
  async lockOpen(tx: Tx, tenantId: string | null, id: string): Promise<InvitationRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "invitation" WHERE "id" = ${id} FOR UPDATE`;
    return tx.invitation.findFirst({ where: { id, ...ofPlace(tenantId) } });
  }

  create(
    tx: Tx,
    to: InvitationTo,
    data: Pick<
      Invitation,
      'id' | 'email' | 'tokenHash' | 'sealedToken' | 'invitedBy' | 'inviterId' | 'expiresAt'
    >,
  ): Promise<InvitationRow> {
    return tx.invitation.create({ data: { ...to, ...data } });
  }

  /** Puts aside what has expired without an answer, so that the address may be invited anew. */
  async putAsideExpired(tx: Tx, email: string, now: Date): Promise<void> {
    await tx.invitation.updateMany({
      where: { email, ...OPEN, expiresAt: { lte: now } },
      data: { revokedAt: now, sealedToken: null },
    });
  }

  /** Revokes the open sign-ups of an address, which is locked until the transaction ends. */
  async revokeSignUps(tx: Tx, email: string, revokedAt: Date): Promise<void> {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`sign-up ${email}`}, 0))`;
    await tx.invitation.updateMany({
      where: { email, signUpKey: { not: null }, ...OPEN },
      data: { revokedAt, sealedToken: null },
    });
  }

  renew(
    tx: Tx,
    id: string,
    data: Pick<Invitation, 'tokenHash' | 'sealedToken' | 'invitedBy' | 'inviterId' | 'expiresAt'>,
  ): Promise<InvitationRow> {
    return tx.invitation.update({ where: { id }, data });
  }

  accept(tx: Tx, id: string, acceptedAt: Date): Promise<InvitationRow> {
    return tx.invitation.update({ where: { id }, data: { acceptedAt, sealedToken: null } });
  }

  revoke(tx: Tx, id: string, revokedAt: Date): Promise<InvitationRow> {
    return tx.invitation.update({ where: { id }, data: { revokedAt, sealedToken: null } });
  }
}

function ofPlace(tenantId: string | null): Prisma.InvitationWhereInput {
  return tenantId === null ? { tenantId: null, operatorRole: { not: null }, ...OPEN } : { tenantId, ...OPEN };
}
