import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { kindOfId } from '../ids.js';
import { Log } from '../log.js';
import { Database, type Tx } from '../prisma/database.js';
import { TenantStatus } from '../prisma/schema.js';
import { type BlockingConnection, RedisConnections } from '../redis.js';
import { abilityOf } from './ability.js';
import { type Actor, SYSTEM_ACTOR, tokenActor } from './actor.js';

/**
 * Loads users and service tokens with their current permissions, for work that runs long after the request. Requires the
 * scope of all tenants.
 */
@Injectable()
export class CurrentActors {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Undefined for suspended users and for revoked or expired tokens. */
  async find(id: string, tx: Tx = this.database.client): Promise<Actor | undefined> {
    if (id === SYSTEM_ACTOR.id) return SYSTEM_ACTOR;
    const kind = kindOfId(id);
    if (kind === 'user') return this.findUser(id, tx);
    return kind === 'serviceToken' ? this.findToken(id, tx) : undefined;
  }

  private async findUser(id: string, tx: Tx): Promise<Actor | undefined> {
    const user = await tx.user.findUnique({ where: { id } });
    if (user === null || user.suspendedAt !== null) return undefined;
    const rows = await tx.member.findMany({
      where: { userId: id, tenant: { status: { not: TenantStatus.ARCHIVED } } },
      select: { role: true, tenant: { select: { id: true, key: true, name: true } } },
    });
    const memberships = rows.map(({ role, tenant }) => ({
      tenantId: tenant.id,
      tenantKey: tenant.key,
      tenantName: tenant.name,
      role,
    }));
    const { name, email, role } = user;
    const ability = abilityOf(role, memberships);
    return { kind: 'USER', id, label: email, name, email, role, memberships, ability };
  }

  private async findToken(id: string, tx: Tx): Promise<Actor | undefined> {
    const token = await tx.serviceToken.findUnique({ where: { id } });
    const isOver =
      token === null ||
      token.revokedAt !== null ||
      (token.expiresAt !== null && token.expiresAt <= this.clock.now());
    if (isOver) return undefined;
    const tenants = await tx.tenant.findMany({
      where: { key: { in: token.tenantKeys } },
      select: { id: true },
    });
    return tokenActor(
      token,
      tenants.map(({ id }) => id),
    );
  }
}

const CHANNEL = 'tg:access:changed';

/**
 * Announces lost access to all processes, so that open streams check their permissions immediately. A lost message is
 * harmless, because streams also check regularly.
 */
@Injectable()
export class AccessChanges {
  private readonly listeners = new Set<() => void>();
  private subscriber: BlockingConnection | undefined;

  constructor(
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {}

  /** Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.subscriber ??= this.subscribe();
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Call after the change is committed. */
  async announce(): Promise<void> {
    this.dispatch();
    await this.redis.config.publish(CHANNEL, '').catch((error: unknown) => {
      this.log.warn({ error: String(error) }, 'access change not announced to other processes');
    });
  }

  private subscribe(): BlockingConnection {
    const subscriber = this.redis.openBlocking('access');
    subscriber.on('message', () => this.dispatch());
    const ask = () =>
      subscriber.subscribe(CHANNEL).catch((error: unknown) => {
        this.log.debug({ error: String(error) }, 'access channel subscription failed');
      });
    subscriber.on('ready', () => void ask());
    return subscriber;
  }

  private dispatch(): void {
    for (const listener of this.listeners) listener();
  }
}
