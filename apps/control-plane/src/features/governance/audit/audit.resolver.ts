import { Args, ArgsType, Field, ObjectType, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { overloaded } from '../../../platform/api-error.js';
import {
  type Connection,
  connectionOf,
  cursorCodec,
  Node,
  PageArgs,
  parsePage,
  toConnection,
} from '../../../platform/graphql/connection.js';
import { ArgsOf, field, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { Json, SafeInt } from '../../../platform/graphql/scalars.js';
import { kindOfId } from '../../../platform/ids.js';
import { ActorKind } from '../../../platform/prisma/schema.js';
import { type AuditEntryRow, AuditRepository, parseAuditFilter } from './audit.repository.js';
import { AuditHeadsStore } from './audit-heads.store.js';
import { AuditVerifier } from './audit-verifier.js';

registerEnum(ActorKind, 'ActorKind', 'Kind of caller.', {
  USER: 'A signed-in user.',
  TOKEN: 'A service token.',
  SYSTEM: 'Tollgate itself.',
});

@ObjectType({ implements: () => [Node], description: 'One recorded change. Entries are immutable.' })
export class AuditEntry extends ObjectOf(Node, {
  at: field.dateTime('Time.'),
  actor: field.string('Actor: an email address, a token name, or `setup`.'),
  actorId: field.id('Id of the user, token or job; null in old entries.').nullable(),
  actorKind: field.of(() => ActorKind, 'Kind of caller.'),
  action: field.string('Action, such as `tier.publish`.'),
  entity: field.string('Type of the changed object, such as `Tier`.'),
  entityId: field.string('Id of the changed object.'),
  entityName: field
    .string('Name of the object at that time; null in entries of earlier versions.')
    .nullable(),
  entityKey: field
    .string("Key in the object's address, if it is neither its id nor the key of the tenant.")
    .nullable(),
  revertedName: field.string('Name of the object in the change that this one reverted.').nullable(),
  tenantKey: field.string('Tenant affected; null if none.').nullable(),
  reason: field.string('Reason given by the actor.').nullable(),
  requestId: field.string('Request id, as in the logs.').nullable(),
  changeId: field.id('The change it belongs to, for `propagation`.'),
  address: field.string('Network address of the client.').nullable(),
  userAgent: field.string('User agent of the client.').nullable(),
  chain: field.string("Its chain: the tenant's key, or `~platform`."),
  sequence: field.as<bigint>(() => SafeInt, 'Position in its chain, from 1, without gaps.'),
  previousHash: field.string('Hash of the entry before it in its chain; zeros for the first.'),
  hash: field.string('SHA-256 over the entry and `previousHash`.'),
}) {
  @Field(() => Json, { nullable: true, description: 'The object before; null when it was created.' })
  before!: unknown;

  @Field(() => Json, { nullable: true, description: 'The object after; null when it was removed.' })
  after!: unknown;
}

export const AuditEntryConnection = connectionOf(AuditEntry, 'AuditEntry', 'audit entries');

@ArgsType()
export class AuditEntriesArgs extends ArgsOf(PageArgs, {
  tenant: field.string('Only changes of this tenant. Required for members of a tenant.').optional(),
  entity: field.string('Only changes of this type of object, such as `Tier`.').optional(),
  entityId: field.string('Only changes of the object of this id.').optional(),
  actor: field.string('Only changes by this actor: id or full name.').optional(),
  action: field.string('Only changes of this kind, such as `tier.publish`.').optional(),
  changeId: field.string('Only entries of the change of this id.').optional(),
  from: field.dateTime('Only changes from this instant on.').optional(),
  to: field.dateTime('Only changes before this instant.').optional(),
}) {}

@ObjectType({ description: 'A broken link of an audit chain.' })
export class AuditBreak extends ObjectOf({
  chain: field.string('The chain.'),
  sequence: field.safeInt('Position of the first invalid or missing entry.'),
  entryId: field.id('The entry at this position; null if missing.').nullable(),
  problem: field.string(
    'Problem: `gap`, `link`, `content`, `version` of an entry; `truncated`, `head`, `signature` compared with its signed head.',
  ),
}) {}

@ObjectType({ description: 'Result of an integrity check of the audit trail.' })
export class AuditVerification extends ObjectOf({
  ok: field.boolean('Whether all chains are intact.'),
  chains: field.int('How many chains were verified.'),
  entries: field.safeInt('How many entries were verified.'),
  unsignedChains: field.int('Chains without a signed head yet: truncation of these cannot be detected.'),
  brokenChains: field.int('Number of broken chains.'),
  breaks: field.of(() => AuditBreak, 'The first broken link of each, of at most 100 chains.').list(),
  publicKey: field.string('PEM of the key that signs heads and exports.'),
}) {}

const cursors = cursorCodec(
  'auditEntries',
  z.string().refine((id) => kindOfId(id) === 'auditEntry'),
);

/** Verifications that may run at once in one process. */
const MAX_VERIFICATIONS = 2;

@Resolver(() => AuditEntry)
export class AuditResolver {
  private verifying = 0;

  constructor(
    private readonly audit: AuditRepository,
    private readonly verifier: AuditVerifier,
    private readonly heads: AuditHeadsStore,
  ) {}

  @RequireTenantPermission('audit:read', 'tenant')
  @Query(() => AuditEntryConnection, { name: 'auditEntries', description: 'Changes, newest first.' })
  async list(@Args() args: AuditEntriesArgs): Promise<Connection<AuditEntryRow>> {
    const page = parsePage(args, cursors);
    const { tenant, entity, entityId, actor, action, changeId, from, to } = args;
    const filter = parseAuditFilter({ tenant, entity, entityId, actor, action, changeId, from, to });
    const rows = await this.audit.list(filter, page);
    return toConnection(
      rows,
      page,
      (entry) => cursors.encode(entry.id),
      () => this.audit.count(filter),
    );
  }

  @RequireTenantPermission('audit:read', 'tenantKey')
  @Query(() => AuditVerification, {
    name: 'auditVerify',
    description: 'Verifies the integrity of the audit trail and reports broken chains.',
  })
  async verify(
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: "Only this tenant's chain; omitted: all chains, for operators only.",
    })
    tenantKey: string | null,
  ) {
    if (this.verifying >= MAX_VERIFICATIONS)
      throw overloaded('The audit trail is already being verified. Try again later.');
    this.verifying += 1;
    try {
      const result = await this.verifier.verify(parseAuditFilter({ tenant: tenantKey }).tenantKey);
      return { ok: result.brokenChains === 0, ...result, publicKey: this.heads.signer.publicKey };
    } finally {
      this.verifying -= 1;
    }
  }
}
