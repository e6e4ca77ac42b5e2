import { SetMetadata } from '@nestjs/common';
import type { Permission } from './permissions.js';

/** Metadata key under which a handler's one authorisation rule is kept. */
export const ACCESS_RULE = 'tollgate:access-rule';

export type AccessRule = { permission: Permission } | { signedIn: true };

/** The handler runs only for an actor who has `permission`. */
export const RequirePermission = (permission: Permission) =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, { permission });

/** The handler runs for any actor, and decides by itself what that actor may see. */
export const RequireSignIn = () => SetMetadata<string, AccessRule>(ACCESS_RULE, { signedIn: true });
