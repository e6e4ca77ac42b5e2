import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { APP_GUARD, DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { type GqlContextType, GqlExecutionContext } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { forbidden, noAccess, noSuchTenant, unauthenticated } from '../api-error.js';
import type { GraphqlContext } from '../graphql/context.js';
import { runInScope, setRequestScope } from '../tenant-scope.js';
import { mayIn } from './ability.js';
import {
  type Actor,
  ActorSource,
  checkPermitted,
  hasAccess,
  permittedTenants,
  seesTenant,
  visibleTenants,
} from './actor.js';
import { checkRecentSignIn, NEEDS_RECENT_SIGN_IN } from './recent-sign-in.js';
import { ACCESS_RULE, type AccessRule } from './require-permission.decorator.js';

/** Metadata of Nest on GraphQL root handlers and HTTP handlers. */
const RESOLVER_TYPE = 'graphql:resolver_type';
const HTTP_PATH = 'path';
const ROOT_TYPES = ['Query', 'Mutation', 'Subscription'];

export interface Handler {
  /** Such as `TiersResolver.tierPublish`. */
  name: string;
  guarded: boolean;
}

/** Finds all reachable handlers at start and requires an authorization rule on each. */
@Injectable()
export class HandlerRuleCheck implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws Error with the names of handlers without a rule */
  onApplicationBootstrap(): void {
    const open = this.list().filter((handler) => !handler.guarded);
    if (open.length > 0) {
      throw new Error(`Without an authorization rule: ${open.map((handler) => handler.name).join(', ')}`);
    }
  }

  list(): Handler[] {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    return wrappers.flatMap((wrapper) => {
      const type: unknown = wrapper.metatype;
      if (typeof type !== 'function' || wrapper.isAlias) return [];
      const prototype: unknown = type.prototype;
      if (typeof prototype !== 'object' || prototype === null) return [];
      return handlersOf(type.name, prototype, this.scanner.getAllMethodNames(prototype));
    });
  }
}

function handlersOf(typeName: string, prototype: object, methods: string[]): Handler[] {
  return methods.flatMap((method) => {
    const handler: unknown = Reflect.get(prototype, method);
    if (typeof handler !== 'function') return [];
    const isRoot = ROOT_TYPES.includes(String(Reflect.getMetadata(RESOLVER_TYPE, handler)));
    if (!isRoot && !Reflect.hasMetadata(HTTP_PATH, handler)) return [];
    return [{ name: `${typeName}.${method}`, guarded: Reflect.hasMetadata(ACCESS_RULE, handler) }];
  });
}

const actorsOfRequests = new WeakMap<FastifyRequest, Promise<Actor | undefined>>();

/** The actor that the guard has authenticated for an HTTP handler that is not anonymous. */
export async function actorOfRequest(request: FastifyRequest): Promise<Actor> {
  const actor = await actorsOfRequests.get(request);
  if (actor === undefined) throw new Error('The permission guard did not run');
  return actor;
}

/** Runs before every handler. Handlers without a rule are denied to everyone. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly actors: ActorSource,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<AccessRule | undefined>(ACCESS_RULE, execution.getHandler());
    const actor = await this.actorOf(execution);
    if (rule !== undefined && 'anonymous' in rule) return true;
    if (actor === undefined) throw unauthenticated(requestOf(execution).headers);
    // HandlerRuleCheck has found them all at start.
    if (rule === undefined) throw new Error('A handler without an authorization rule');
    checkRule(rule, actor, execution);
    if (this.reflector.get<true | undefined>(NEEDS_RECENT_SIGN_IN, execution.getHandler()) === true)
      checkRecentSignIn(actor);
    setRequestScope(
      'inSomeTenant' in rule ? permittedTenants(actor, rule.permission) : visibleTenants(actor),
    );
    return true;
  }

  /** The actor is looked up once per GraphQL request. */
  private actorOf(execution: ExecutionContext): Promise<Actor | undefined> {
    const request = requestOf(execution);
    if (execution.getType<GqlContextType>() === 'graphql') {
      const context = GqlExecutionContext.create(execution).getContext<GraphqlContext>();
      context.actor ??= runInScope('accounts', () => this.actors.findActor(request.headers));
      return context.actor;
    }
    const actor = runInScope('accounts', () => this.actors.findActor(request.headers));
    actorsOfRequests.set(request, actor);
    return actor;
  }
}

function requestOf(execution: ExecutionContext): FastifyRequest {
  return execution.getType<GqlContextType>() === 'graphql'
    ? GqlExecutionContext.create(execution).getContext<GraphqlContext>().req
    : execution.switchToHttp().getRequest<FastifyRequest>();
}

/** @throws ApiError FORBIDDEN with the missing permission; NOT_FOUND for tenants that the actor may not see */
function checkRule(rule: AccessRule, actor: Actor, execution: ExecutionContext): void {
  if (!('permission' in rule)) {
    if (!hasAccess(actor)) throw noAccess();
    return;
  }
  const { permission } = rule;
  if ('inSomeTenant' in rule) {
    if (permittedTenants(actor, permission).length === 0) throw forbidden(permission);
    return;
  }
  const tenantKey = 'tenantArg' in rule ? argumentAt(argumentsOf(execution), rule.tenantArg) : undefined;
  if (typeof tenantKey !== 'string') checkPermitted(actor, permission);
  else if (!seesTenant(actor, tenantKey)) throw noSuchTenant();
  else if (!mayIn(actor.ability, permission, tenantKey)) throw forbidden(permission);
}

/** Arguments of a GraphQL field, or path and query parameters of an HTTP request. */
function argumentsOf(execution: ExecutionContext): unknown {
  if (execution.getType<GqlContextType>() === 'graphql')
    return GqlExecutionContext.create(execution).getArgs();
  const { query, params } = execution.switchToHttp().getRequest<FastifyRequest>();
  return { ...(query as object), ...(params as object) };
}

/** The value at a path such as `input.tenantKey`. */
function argumentAt(args: unknown, path: string): unknown {
  let value = args;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

@Module({
  imports: [DiscoveryModule],
  providers: [HandlerRuleCheck, { provide: APP_GUARD, useClass: PermissionGuard }],
})
export class AccessModule {}
