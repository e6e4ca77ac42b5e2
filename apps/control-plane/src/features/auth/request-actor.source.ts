import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type Actor, ActorSource } from '../../platform/access/actor.js';
import { permissionsOf } from '../../platform/access/permissions.js';
import { ServiceTokensService } from '../service-tokens/index.js';
import { AuthService } from './auth.service.js';

const BEARER = /^Bearer +(\S+)$/i;

/** Establishes the actor: the bearer token when there is one, else the session cookie. */
@Injectable()
export class RequestActorSource extends ActorSource {
  constructor(
    private readonly auth: AuthService,
    private readonly serviceTokens: ServiceTokensService,
  ) {
    super();
  }

  override async findActor(headers: IncomingHttpHeaders): Promise<Actor | undefined> {
    // A wrong token is not made good by a cookie beside it.
    if (headers.authorization !== undefined) return this.findByToken(headers.authorization);
    const user = await this.auth.findSessionUser(headers.cookie);
    if (user === undefined) return undefined;
    return { ...user, kind: 'USER', label: user.email, permissions: permissionsOf(user.role) };
  }

  private async findByToken(authorization: string): Promise<Actor | undefined> {
    const token = BEARER.exec(authorization)?.[1];
    const found = token === undefined ? undefined : await this.serviceTokens.verify(token);
    if (!found?.scopes.includes('admin')) return undefined;
    const { id, name, publicId } = found;
    const label = `${name} (${publicId})`;
    return {
      kind: 'TOKEN',
      id,
      label,
      name,
      email: null,
      role: 'OWNER',
      permissions: permissionsOf('OWNER'),
    };
  }
}
