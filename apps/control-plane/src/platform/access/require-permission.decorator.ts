import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { GraphqlContext } from '../graphql/context.js';
import type { Caller } from './actor.js';
import type { Permission } from './permissions.js';

/** Metadata key under which a handler's one authorisation rule is kept. */
export const ACCESS_RULE = 'tollgate:access-rule';

export type AccessRule =
  | { permission: Permission }
  | { permission: Permission; tenantArg: string }
  | { permission: Permission; inSomeTenant: true }
  | { signedIn: true }
  | { anonymous: true };

/** The handler runs only for an actor who has `permission` over all tenants. */
export const RequirePermission = (permission: Permission) =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, { permission });

/**
 * The handler runs for an actor who has `permission` in the tenant whose key is the argument at `tenantArg`, such as
 * `input.tenantKey`. For somebody of other tenants only there is none of that key, whether there is or not.
 */
export const RequireTenantPermission = (permission: Permission, tenantArg: string) =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, { permission, tenantArg });

/**
 * The handler runs for an actor with `permission` in at least one tenant, and sees rows of those tenants only: other
 * objects are not found.
 */
export const RequirePermissionInSomeTenant = (permission: Permission) =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, { permission, inSomeTenant: true });

/** The handler runs for any actor and filters its results by permission. */
export const RequireSignIn = () => SetMetadata<string, AccessRule>(ACCESS_RULE, { signedIn: true });

/** The handler runs for everybody, such as somebody who holds an invitation. Each use says why. */
export const Anonymous = () => SetMetadata<string, AccessRule>(ACCESS_RULE, { anonymous: true });

/** The caller that the guard has established; a handler without an authorisation rule never gets here. */
export const CurrentCaller = createParamDecorator(
  async (_: unknown, execution: ExecutionContext): Promise<Caller> => {
    const graphql = GqlExecutionContext.create(execution);
    const context = graphql.getContext<GraphqlContext>();
    const actor = await context.actor;
    if (actor === undefined) throw new Error('The permission guard did not run');
    const key = String(graphql.getInfo<{ path: { key: string } }>().path.key);
    const steps = context.steps?.of(key);
    const { input } = graphql.getArgs<{ input?: { dryRun?: unknown; force?: unknown } | null }>();
    // Every mutation input has `dryRun`; inputs for managed objects also have `force`.
    return {
      actor,
      requestId: context.requestId,
      address: context.req.ip,
      userAgent: context.req.headers['user-agent'],
      dryRun: input?.dryRun === true,
      force: input?.force === true,
      onImpact: (impact) => context.impacts.set(key, impact),
      ...(steps === undefined ? {} : { steps }),
    };
  },
);
