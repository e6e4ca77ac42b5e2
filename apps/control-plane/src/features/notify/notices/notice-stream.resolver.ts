import { AsyncLocalStorage } from 'node:async_hooks';
import { Args, Resolver, Subscription } from '@nestjs/graphql';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { EventBus } from '../../../platform/events/event-bus.js';
import { EventQueue } from '../../../platform/graphql/stream/event-queue.js';
import { Log } from '../../../platform/logging/log.js';
import { Notice } from './notices.graphql.js';
import { type NoticeRow, NoticesRepository } from './notices.repository.js';

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
    description: 'Each notice, within a second of being made.',
  })
  stream(
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: 'Key of the tenant; left out: the notices of operators and of all tenants.',
    })
    tenantKey: string | null,
  ): EventQueue<{ noticeAdded: NoticeRow }> {
    // What the bus calls runs outside of the request, whose scope says which rows may be seen.
    const inRequest = AsyncLocalStorage.snapshot();
    const show = async (id: string) => {
      const notice = await this.notices.findById(id);
      const isWanted = notice !== null && (tenantKey == null || notice.tenantKey === tenantKey);
      if (isWanted) queue.push({ noticeAdded: notice });
    };
    const unlisten = this.bus.listen(({ topic, id }) => {
      if (topic !== 'notice') return;
      void inRequest(() => show(id)).catch((error: unknown) => {
        this.log.debug({ error: String(error) }, 'A notice could not be streamed');
      });
    });
    const queue = new EventQueue<{ noticeAdded: NoticeRow }>(unlisten);
    return queue;
  }
}
