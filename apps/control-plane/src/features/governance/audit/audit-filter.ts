import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { badInput } from '../../../platform/api-error.js';

/** Which entries of the audit trail are meant; what is left out is not asked for. */
export interface AuditFilter {
  tenantKey?: string | undefined;
  entity?: string | undefined;
  entityId?: string | undefined;
  /** Id or name of the actor, whole. */
  actor?: string | undefined;
  action?: string | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

const optional = <S extends z.ZodType>(schema: S) =>
  schema.nullish().transform((value) => value ?? undefined);
const text = (pattern: RegExp, what: string) => optional(z.string().regex(pattern, what));

const filterSchema = z.object({
  tenant: optional(z.string().refine((key) => tenantKeySchema.safeParse(key).success, 'is not a tenant key')),
  entity: text(/^[A-Za-z]{1,40}$/, 'is not a type of object'),
  entityId: text(/^[\x21-\x7e]{1,100}$/, 'is not an id'),
  actor: text(/^[^\p{Cc}]{1,300}$/u, 'is not the name or id of an actor'),
  action: text(/^[A-Za-z]{1,40}\.[A-Za-z]{1,40}$/, 'is not an action, such as tier.publish'),
  from: optional(z.date()),
  to: optional(z.date()),
});

/** @throws ApiError BAD_USER_INPUT naming the argument that cannot be used. */
export function parseAuditFilter(args: z.input<typeof filterSchema>): AuditFilter {
  const parsed = filterSchema.safeParse(args);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badInput(`${issue?.path.join('.')} ${issue?.message}`);
  }
  const { tenant, ...rest } = parsed.data;
  return { tenantKey: tenant, ...rest };
}
