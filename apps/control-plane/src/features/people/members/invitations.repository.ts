import { Injectable } from '@nestjs/common';
import type { Invitation, Member, MemberRole, Prisma } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type MemberRow = Member;

/** Callers lock the tenant. */
@Injectable()
export class MembersRepository {
  findOf(tx: Tx, tenantId: string, id: string): Promise<MemberRow | null> {
    return tx.member.findFirst({ where: { id, tenantId } });
  }

  findByEmail(tx: Tx, tenantId: string, email: string): Promise<MemberRow | null> {
    return tx.member.findUnique({ where: { tenantId_email: { tenantId, email } } });
  }

  countOwners(tx: Tx, tenantId: string): Promise<number> {
    return tx.member.count({ where: { tenantId, role: 'OWNER' } });
  }

  /** Replaces a member entry of the same address that never signed in. */
  async join(
    tx: Tx,
    tenantId: string,
    data: Pick<Member, 'email' | 'name' | 'role'> & { userId: string },
  ): Promise<MemberRow> {
    return tx.member.upsert({
      where: { tenantId_email: { tenantId, email: data.email } },
      create: { id: newId('member'), tenantId, ...data },
      update: data,
    });
  }

  async setRole(tx: Tx, tenantId: string, id: string, role: MemberRole): Promise<MemberRow | null> {
    await tx.member.updateMany({ where: { id, tenantId }, data: { role } });
    return this.findOf(tx, tenantId, id);
  }

  async remove(tx: Tx, tenantId: string, id: string): Promise<void> {
    await tx.member.deleteMany({ where: { id, tenantId } });
  }
}

export type InvitationRow = Invitation;

/** The tenant is null for operators and sign-ups. */
export type InvitationWithTenant = InvitationRow & { tenant: { name: string; key: string } | null };

/** Membership of a tenant, an operator role, or a new tenant. */
export type InvitationGrant =
  | Required<Pick<Prisma.InvitationUncheckedCreateInput, 'tenantId' | 'role'>>
  | Required<Pick<Prisma.InvitationUncheckedCreateInput, 'operatorRole'>>
  | Required<Pick<Prisma.InvitationUncheckedCreateInput, 'signUpKey' | 'signUpName'>>;

const OPEN = { acceptedAt: null, revokedAt: null } satisfies Prisma.InvitationWhereInput;

@Injectable()
export class InvitationsRepository {
  constructor(private readonly database: Database) {}

  /** Open invitations, newest first, with one row more if there is a next page. @param tenantId null: operators */
  list(tenantId: string | null, page: Page<string>): Promise<InvitationRow[]> {
    return this.database.client.invitation.findMany({
      where: { ...ofPlace(tenantId), ...(page.after === undefined ? {} : { id: { lt: page.after } }) },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(tenantId: string | null): Promise<number> {
    return this.database.client.invitation.count({ where: ofPlace(tenantId) });
  }

  findById(id: string): Promise<InvitationRow | null> {
    return this.database.client.invitation.findUnique({ where: { id } });
  }

  findByHash(tokenHash: string): Promise<InvitationWithTenant | null> {
    return this.database.client.invitation.findUnique({
      where: { tokenHash },
      include: { tenant: { select: { name: true, key: true } } },
    });
  }

  async lockByHash(tx: Tx, tokenHash: string): Promise<InvitationWithTenant | null> {
    await tx.$queryRaw`SELECT 1 FROM "invitation" WHERE "token_hash" = ${tokenHash} FOR UPDATE`;
    return tx.invitation.findUnique({
      where: { tokenHash },
      include: { tenant: { select: { name: true, key: true } } },
    });
  }

  async lockOpen(tx: Tx, tenantId: string | null, id: string): Promise<InvitationRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "invitation" WHERE "id" = ${id} FOR UPDATE`;
    return tx.invitation.findFirst({ where: { id, ...ofPlace(tenantId) } });
  }

  create(
    tx: Tx,
    to: InvitationGrant,
    data: Pick<
      Invitation,
      'id' | 'email' | 'tokenHash' | 'sealedToken' | 'invitedBy' | 'inviterId' | 'expiresAt'
    >,
  ): Promise<InvitationRow> {
    return tx.invitation.create({ data: { ...to, ...data } });
  }

  /** Allows another invitation of the address. */
  async closeExpired(tx: Tx, email: string, now: Date): Promise<void> {
    await tx.invitation.updateMany({
      where: { email, ...OPEN, expiresAt: { lte: now } },
      data: { revokedAt: now, sealedToken: null },
    });
  }

  /** Also locks the address until the transaction ends. */
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
