import { Args, Query, Resolver } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { RequirePermission } from '../../platform/access/require-permission.decorator.js';
import { badInput } from '../../platform/errors/api-error.js';
import type { Connection } from '../../platform/graphql/connection.js';
import { cursorCodec, parsePage, toConnection } from '../../platform/graphql/paging.js';
import { kindOfId } from '../../platform/ids/new-id.js';
import { AuditEntriesArgs, AuditEntry, AuditEntryConnection } from './audit.graphql.js';
import { type AuditEntryRow, type AuditFilter, AuditRepository } from './audit.repository.js';

const cursors = cursorCodec(
  'auditEntries',
  z.string().refine((id) => kindOfId(id) === 'auditEntry'),
);

@Resolver(() => AuditEntry)
export class AuditResolver {
  constructor(private readonly audit: AuditRepository) {}

  @RequirePermission('audit:read')
  @Query(() => AuditEntryConnection, { name: 'auditEntries', description: 'Changes, newest first.' })
  async list(@Args() args: AuditEntriesArgs): Promise<Connection<AuditEntryRow>> {
    const page = parsePage(args, cursors);
    const filter = parseFilter(args);
    const rows = await this.audit.list(filter, page);
    return toConnection(
      rows,
      page,
      (entry) => cursors.encode(entry.id),
      () => this.audit.count(filter),
    );
  }
}

function parseFilter({ tenant, entity }: AuditEntriesArgs): AuditFilter {
  if (tenant != null && !tenantKeySchema.safeParse(tenant).success)
    throw badInput('tenant is not a tenant key');
  if (entity != null && !/^[A-Za-z]{1,40}$/.test(entity)) throw badInput('entity is not a type of object');
  return { tenantKey: tenant ?? undefined, entity: entity ?? undefined };
}
