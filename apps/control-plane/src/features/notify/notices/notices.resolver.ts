import { AsyncLocalStorage } from 'node:async_hooks';
import {
  Args,
  Context,
  Int,
  Mutation,
  Parent,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { notFound } from '../../../platform/changes/outcome.js';
import { EventBus } from '../../../platform/events.js';
import { type Connection, PageArgs } from '../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { cursorCodec, idOf, readPage } from '../../../platform/graphql/paging.js';
import { requestLoader } from '../../../platform/graphql/request-loader.js';
import { EventQueue } from '../../../platform/graphql/stream/event-queue.js';
import { Log } from '../../../platform/log.js';
import { detailsOf, factsOf, titleOf } from './notice-messages.js';
import {
  Notice,
  NoticeConnection,
  NoticeSeverity,
  NoticesMarkReadInput,
  NoticesMarkReadPayload,
} from './notices.graphql.js';
import { type NoticeRow, NoticesRepository } from './notices.repository.js';
import { NoticesService } from './notices.service.js';

const TENANT_KEY = {
  type: () => String,
  nullable: true,
  description: 'Key of the tenant; by default the notices of operators and of all tenants.',
} as const;

const ZONES = Symbol('time zones by tenant id');

const cursors = cursorCodec('notices', idOf('notice'));

@Resolver(() => Notice)
export class NoticesResolver {
  constructor(
    private readonly service: NoticesService,
    private readonly notices: NoticesRepository,
  ) {}

  @RequireTenantPermission('notices:read', 'tenantKey')
  @Query(() => NoticeConnection, { name: 'notices', description: 'Notices, newest first.' })
  async list(
    @Args('tenantKey', TENANT_KEY) tenantKey: string | null,
    @Args() args: PageArgs,
  ): Promise<Connection<NoticeRow>> {
    // A missing tenant has no notices.
    const filter = (await this.service.findFilter(tenantKey ?? null)) ?? { tenantId: '' };
    return readPage(args, cursors, ({ id }) => id, this.notices, filter);
  }

  @RequireTenantPermission('notices:read', 'tenantKey')
  @Query(() => Int, {
    name: 'noticesUnread',
    description: 'Number of unread notices of the viewer, at most 100.',
  })
  async countUnread(
    @Args('tenantKey', TENANT_KEY) tenantKey: string | null,
    @CurrentCaller() { actor }: Caller,
  ): Promise<number> {
    const filter = await this.service.findFilter(tenantKey ?? null);
    return filter === undefined ? 0 : this.service.countUnread(actor, filter);
  }

  @RequireTenantPermission('notices:read', 'input.tenantKey')
  @Mutation(() => NoticesMarkReadPayload, {
    name: 'noticesMarkRead',
    description: 'Marks notices as read by the viewer.',
  })
  async markRead(
    @Input() { tenantKey, upTo }: NoticesMarkReadInput,
    @CurrentCaller() { actor, dryRun }: Caller,
  ): Promise<NoticesMarkReadPayload> {
    const filter = await this.service.findFilter(tenantKey ?? null);
    if (filter === undefined)
      return { unread: 0, userErrors: [notFound(['tenantKey'], `tenant "${tenantKey}"`)] };
    const error = dryRun === true ? undefined : await this.service.markRead(actor, filter, upTo);
    const unread = await this.service.countUnread(actor, filter);
    return { unread, userErrors: error === undefined ? [] : [error] };
  }

  @ResolveField()
  severity(@Parent() { kind }: NoticeRow): NoticeSeverity {
    return NoticeSeverity[factsOf(kind).severity.toUpperCase() as keyof typeof NoticeSeverity];
  }

  @ResolveField()
  title(@Parent() { kind, data }: NoticeRow): string {
    return titleOf(kind, fieldsOf(data));
  }

  @ResolveField()
  async details(
    @Parent() { data, tenantId }: NoticeRow,
    @Context() context: GraphqlContext,
  ): Promise<string[]> {
    return detailsOf(data, tenantId === null ? 'UTC' : await this.zones(context).load(tenantId));
  }

  private zones(context: GraphqlContext) {
    return requestLoader(context, ZONES, 'UTC', (ids) => this.notices.listZones(ids));
  }
}

function fieldsOf(data: unknown): Record<string, unknown> {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
}

@Resolver()
export class NoticeStreamResolver {
  constructor(
    private readonly bus: EventBus,
    private readonly notices: NoticesRepository,
    private readonly log: Log,
  ) {}

  @RequireTenantPermission('notices:read', 'tenantKey')
  @Subscription(() => Notice, {
    name: 'noticeAdded',
    description: 'New notices, within a second of their creation.',
  })
  stream(
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: 'Key of the tenant; by default the notices of operators and of all tenants.',
    })
    tenantKey: string | null,
  ): EventQueue<{ noticeAdded: NoticeRow }> {
    // Bus listeners run outside of the request, whose scope limits the visible rows.
    const inRequest = AsyncLocalStorage.snapshot();
    const show = async (id: string) => {
      const notice = await this.notices.findById(id);
      const isWanted = notice !== null && (tenantKey == null || notice.tenantKey === tenantKey);
      if (isWanted) queue.push({ noticeAdded: notice });
    };
    const unlisten = this.bus.listen(({ topic, id }) => {
      if (topic !== 'notice') return;
      void inRequest(() => show(id)).catch((error: unknown) => {
        this.log.debug({ error: String(error) }, 'notice not streamed');
      });
    });
    const queue = new EventQueue<{ noticeAdded: NoticeRow }>(unlisten);
    return queue;
  }
}
