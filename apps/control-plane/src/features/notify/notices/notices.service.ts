import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../platform/access/actor.js';
import { notFound } from '../../../platform/changes/outcome.js';
import type { UserError } from '../../../platform/graphql/user-error.graphql.js';
import { kindOfId } from '../../../platform/ids.js';
import { TenantsRepository } from '../../customers/index.js';
import { type NoticeFilter, NoticesRepository } from './notices.repository.js';

const MAX_UNREAD = 100;

@Injectable()
export class NoticesService {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly tenants: TenantsRepository,
  ) {}

  /** Undefined if the tenant does not exist. */
  async findFilter(tenantKey: string | null): Promise<NoticeFilter | undefined> {
    if (tenantKey === null) return 'all';
    const tenant = await this.tenants.findByKey(tenantKey);
    return tenant === null ? undefined : { tenantId: tenant.id };
  }

  async countUnread(actor: Actor, filter: NoticeFilter): Promise<number> {
    const readUpTo = await this.notices.readUpTo(actor.id, readerOf(filter));
    return this.notices.countNewer(filter, readUpTo, MAX_UNREAD);
  }

  async markRead(actor: Actor, filter: NoticeFilter, upTo: string): Promise<UserError | undefined> {
    if (kindOfId(upTo) !== 'notice') return notFound(['upTo'], 'notice with this id');
    await this.notices.markRead(actor.id, readerOf(filter), upTo);
    return undefined;
  }
}

function readerOf(filter: NoticeFilter): string {
  return filter === 'all' ? '' : filter.tenantId;
}
