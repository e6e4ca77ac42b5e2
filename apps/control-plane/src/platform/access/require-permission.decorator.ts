import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { GraphqlContext } from '../graphql/context.js';
import type { Caller } from './actor.js';
import type { Permission } from './permissions.js';

export const ACCESS_RULE = 'tollgate:access-rule';

export type AccessRule =
  | { permission: Permission }
  | { permission: Permission; tenantArg: string }
  | { permission: Permission; inSomeTenant: true }
  | { signedIn: true }
  | { anonymous: true };

/** Requires `permission` for all tenants. */
export const RequirePermission = (permission: Permission) =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, { permission });

/**
 * Requires `permission` in the tenant whose key is at `tenantArg`, such as `input.tenantKey`. Callers who may not see
 * the tenant receive NOT_FOUND.
 */
export const RequireTenantPermission = (permission: Permission, tenantArg: string) =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, { permission, tenantArg });

/** Requires `permission` in at least one tenant. The handler sees rows of those tenants only. */
export const RequirePermissionInSomeTenant = (permission: Permission) =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, { permission, inSomeTenant: true });

/** Requires a caller. The handler filters its results by permission. */
export const RequireSignIn = () => SetMetadata<string, AccessRule>(ACCESS_RULE, { signedIn: true });

/** Allows anonymous requests. Each use states why. */
export const Anonymous = () => SetMetadata<string, AccessRule>(ACCESS_RULE, { anonymous: true });

/** The caller that the guard has authenticated. */
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
