import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type GqlContextType, GqlExecutionContext } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { forbidden, unauthenticated } from '../errors/api-error.js';
import type { GraphqlContext } from '../graphql/context.js';
import { type Actor, ActorSource } from './actor.js';
import { ACCESS_RULE, type AccessRule } from './require-permission.decorator.js';

/** Stands before every handler. What carries no rule is refused to everybody. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly actors: ActorSource,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<AccessRule | undefined>(ACCESS_RULE, execution.getHandler());
    const actor = await this.actorOf(execution);
    if (actor === undefined) throw unauthenticated();
    if (rule === undefined) throw forbidden();
    if ('permission' in rule && !actor.permissions.has(rule.permission)) throw forbidden();
    return true;
  }

  /** Asked once per request, however many fields it has. */
  private actorOf(execution: ExecutionContext): Promise<Actor | undefined> {
    if (execution.getType<GqlContextType>() === 'graphql') {
      const context = GqlExecutionContext.create(execution).getContext<GraphqlContext>();
      context.actor ??= this.actors.findActor(context.req.headers);
      return context.actor;
    }
    return this.actors.findActor(execution.switchToHttp().getRequest<FastifyRequest>().headers);
  }
}
