import { Injectable } from '@nestjs/common';
import { abilityOf, abilityWith } from '../../platform/access/ability.js';
import { type Actor, jobActor } from '../../platform/access/actor.js';
import { permissionsOfScopes } from '../../platform/access/token-scopes.js';
import { Clock } from '../../platform/clock/clock.js';
import { ActorKind } from '../../platform/prisma/schema.js';
import type { BulkActionRow } from './bulk-actions.repository.js';
import { StartersRepository } from './starters.repository.js';

/** Who started an action, with what they may do by now. */
@Injectable()
export class BulkStarters {
  constructor(
    private readonly starters: StartersRepository,
    private readonly clock: Clock,
  ) {}

  /** An actor without permissions where they are gone, suspended or revoked. */
  async find({ actorKind, actorId, actor }: BulkActionRow): Promise<Actor> {
    const nobody = { email: null, role: null, memberships: [] };
    const named = { kind: actorKind, id: actorId, label: actor, name: actor };
    switch (actorKind) {
      case ActorKind.SYSTEM:
        return { ...jobActor('bulk-actions'), ...named };
      case ActorKind.USER: {
        const role = await this.starters.findRole(actorId);
        return { ...nobody, ...named, role, ability: abilityOf(role, []) };
      }
      case ActorKind.TOKEN: {
        const scopes = await this.starters.listScopes(actorId, this.clock.now());
        return { ...nobody, ...named, ability: abilityWith(permissionsOfScopes(scopes)) };
      }
    }
  }
}
