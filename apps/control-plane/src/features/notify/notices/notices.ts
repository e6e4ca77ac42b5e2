import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import {
  Args,
  Context,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
  registerEnumType,
  Subscription,
} from '@nestjs/graphql';
import * as z from 'zod';
import type { Actor, Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { notFound } from '../../../platform/changes/outcome.js';
import { EventBus } from '../../../platform/events.js';
import {
  type Connection,
  connectionOf,
  cursorCodec,
  idOf,
  Node,
  PageArgs,
  readPage,
} from '../../../platform/graphql/connection.js';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import {
  Input,
  MutationInput,
  MutationPayload,
  type UserError,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';
import { Json } from '../../../platform/graphql/scalars.js';
import { EventQueue } from '../../../platform/graphql/stream/open-streams.js';
import { kindOfId } from '../../../platform/ids.js';
import { Log } from '../../../platform/log.js';
import { TenantsRepository } from '../../customers/index.js';
import { detailsOf, factsOf, titleOf } from './notice-messages.js';
import { type NoticeFilter, type NoticeRow, NoticesRepository } from './notices.repository.js';

export enum NoticeSeverity {
  INFO = 'INFO',
  WARNING = 'WARNING',
  CRITICAL = 'CRITICAL',
}

registerEnumType(NoticeSeverity, {
  name: 'NoticeSeverity',
  description: 'Severity of a notice.',
  valuesMap: {
    INFO: { description: 'For information.' },
    WARNING: { description: 'Action will be required.' },
    CRITICAL: { description: 'Action is required now.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'A notification about an event.' })
export class Notice extends ObjectOf(Node, {
  kind: field.string('Kind of the event, such as `purchase.paid`; also the type of the webhook event.'),
  severity: field.of(() => NoticeSeverity, 'Severity.'),
  title: field.string('The notice in one line.'),
  details: field.string('Details, one line each.').list(),
  tenantKey: field.string('Key of the tenant; null for notices to operators.').nullable(),
  data: field.as<unknown>(() => Json, 'Details, as in the webhook event.'),
  createdAt: field.dateTime('When the event happened.'),
}) {}

export const NoticeConnection = connectionOf(Notice, 'Notice', 'notices');

const markReadSchema = z.object({
  tenantKey: z.string().nullish().describe('Key of the tenant; all notices by default.'),
  upTo: idField('The newest notice read; older notices are marked as read too.'),
});

@InputType({ description: 'Notices to mark as read.' })
export class NoticesMarkReadInput extends InputOf(markReadSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of marking notices as read.' })
export class NoticesMarkReadPayload extends ObjectOf(MutationPayload, {
  unread: field.int('Number of unread notices, at most 100.'),
}) {}

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
