import { Injectable } from '@nestjs/common';
import { abilityOf } from '../../../platform/access/ability.js';
import { type Actor, jobActor } from '../../../platform/access/actor.js';
import { CurrentActors } from '../../../platform/access/current-actors.js';
import { ActorKind } from '../../../platform/prisma/schema.js';
import type { BulkActionRow } from './bulk-actions.repository.js';

/** Who started an action, with what they may do by now. */
@Injectable()
export class BulkStarters {
  constructor(private readonly actors: CurrentActors) {}

  /** An actor without permissions where they are gone, suspended or revoked. */
  async find({ actorKind, actorId, actor }: BulkActionRow): Promise<Actor> {
    const named = { kind: actorKind, id: actorId, label: actor, name: actor };
    if (actorKind === ActorKind.SYSTEM) return { ...jobActor('bulk-actions'), ...named };
    const found = await this.actors.find(actorId);
    if (found !== undefined) return { ...found, ...named };
    return { ...named, email: null, role: null, memberships: [], ability: abilityOf(null, []) };
  }
}
