import { Args, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { overloaded } from '../../../platform/api-error.js';
import type { Connection } from '../../../platform/graphql/connection.js';
import { cursorCodec, parsePage, toConnection } from '../../../platform/graphql/paging.js';
import { kindOfId } from '../../../platform/ids.js';
import { AuditEntriesArgs, AuditEntry, AuditEntryConnection, AuditVerification } from './audit.graphql.js';
import { type AuditEntryRow, AuditRepository, parseAuditFilter } from './audit.repository.js';
import { AuditHeadsStore } from './audit-heads.store.js';
import { AuditVerifier } from './audit-verifier.js';

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
