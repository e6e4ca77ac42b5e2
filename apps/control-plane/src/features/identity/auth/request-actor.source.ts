import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { abilityOf } from '../../../platform/access/ability.js';
import { type Actor, ActorSource, tokenActor } from '../../../platform/access/actor.js';
import { ServiceTokensService } from '../service-tokens/service-tokens.js';
import { AuthService } from './auth.service.js';

interface Lane<T> {
  running: Promise<T>;
  /** Lookup for all calls made while `running` is pending. */
  next?: Promise<T>;
}

/**
 * Deduplicates concurrent lookups by key. A shared lookup starts after the calls that it serves, so a revoked credential
 * is always found revoked.
 */
export class SharedLookups<T> {
  private readonly lanes = new Map<string, Lane<T>>();

  get(key: string, look: () => Promise<T>): Promise<T> {
    const lane = this.lanes.get(key);
    if (lane === undefined) return this.start(key, look);
    const start = () => this.start(key, look);
    lane.next ??= lane.running.then(start, start);
    return lane.next;
  }

  private start(key: string, look: () => Promise<T>): Promise<T> {
    const lane: Lane<T> = { running: look() };
    this.lanes.set(key, lane);
    const end = () => {
      if (lane.next === undefined) this.lanes.delete(key);
    };
    lane.running.then(end, end);
    return lane.running;
  }
}

const BEARER = /^Bearer +(\S+)$/i;

/** Authenticates requests by bearer token, else by session cookie. */
@Injectable()
export class RequestActorSource extends ActorSource {
  private readonly lookups = new SharedLookups<Actor | undefined>();

  constructor(
    private readonly auth: AuthService,
    private readonly serviceTokens: ServiceTokensService,
  ) {
    super();
  }

  override findActor(headers: IncomingHttpHeaders): Promise<Actor | undefined> {
    const credential = JSON.stringify([headers.authorization, headers.cookie]);
    return this.lookups.get(credential, () => this.lookUp(headers));
  }

  private async lookUp(headers: IncomingHttpHeaders): Promise<Actor | undefined> {
    // An invalid token is rejected even if the session cookie is valid.
    if (headers.authorization !== undefined) return this.findByToken(headers.authorization);
    const user = await this.auth.findSessionUser(headers.cookie);
    if (user === undefined) return undefined;
    const memberships = await this.auth.listMemberships(user.id);
    const ability = abilityOf(user.role, memberships);
    return { ...user, kind: 'USER', label: user.email, memberships, ability };
  }

  private async findByToken(authorization: string): Promise<Actor | undefined> {
    const token = BEARER.exec(authorization)?.[1];
    const found = token === undefined ? undefined : await this.serviceTokens.verify(token);
    if (found === undefined) return undefined;
    const { tenantKeys } = found;
    return tokenActor(found, tenantKeys.length === 0 ? [] : await this.auth.listTenantIds(tenantKeys));
  }
}
