import {
  type AdjustmentEffect,
  adjustmentEffectSchema,
  apiKeySchema,
  limitNameSchema,
  tenantKeySchema,
} from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { CarryOver, LimitClass } from '../../../platform/prisma/schema.js';
import { upper } from '../../catalogue/index.js';
import { EffectKind, type AdjustmentEffect as ShownEffect } from './adjustment-input.graphql.js';

const number = z.number().nullish();

/** The fields of an effect as GraphQL has them, all beside each other; only those of its kind may be given. */
const effect = z
  .object({
    kind: z.enum(EffectKind),
    units: number,
    percent: number,
    limit: number,
    burst: number,
    capacity: number,
    queue: number,
  })
  .transform(({ kind, ...fields }, context): AdjustmentEffect => {
    const given = Object.entries(fields).filter(([, value]) => value != null);
    const parsed = adjustmentEffectSchema.safeParse({
      kind: kind.toLowerCase(),
      ...Object.fromEntries(given),
    });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const foreign = issue.code === 'unrecognized_keys' ? issue.keys : [];
      for (const name of foreign) {
        const message = `${name} is not of ${kind}; leave it out`;
        context.issues.push({ code: 'custom', path: [name], message, input: fields });
      }
      if (foreign.length > 0) continue;
      context.issues.push({ code: 'custom', path: issue.path, message: issue.message, input: fields });
    }
    return z.NEVER;
  });

const targetFields = {
  apiKey: apiKeySchema.nullish().transform((key) => key ?? undefined),
  limit: limitNameSchema.nullish().transform((name) => name ?? undefined),
  appliesTo: z
    .enum(LimitClass)
    .nullish()
    .transform((appliesTo) => appliesTo?.toLowerCase() as Lowercase<LimitClass> | undefined),
  effect,
};

type Target = { apiKey: string | undefined; limit: string | undefined; effect: AdjustmentEffect };

/** What is named must be named in full. */
function refineTarget({ apiKey, limit, effect: { kind } }: Target, context: z.RefinementCtx): void {
  if (limit !== undefined && apiKey === undefined) {
    context.addIssue({
      code: 'custom',
      path: ['apiKey'],
      message: 'A limit is named within an API; name that too',
    });
  }
  if (kind === 'set' && limit === undefined) {
    const message = 'SET puts one number in the place of another; name the limit';
    context.addIssue({ code: 'custom', path: ['limit'], message });
  }
}

/** Target limits and the effect on them. */
export const targetSchema = z.object(targetFields).superRefine(refineTarget);

/** As `targetSchema`, for one tenant as the caller has seen it. */
export const adjustmentFields = {
  ...targetFields,
  tenantKey: tenantKeySchema,
  expectedVersion: z.int(),
  carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
  reason: optionalNote,
};

/** An object of `adjustmentFields` and more. */
export function adjustmentSchema<S extends z.ZodRawShape>(more: S) {
  return z
    .object({ ...adjustmentFields, ...more })
    .superRefine((value, context) => refineTarget(value as unknown as Target, context));
}

/** A reason that must be given. */
export const mandatoryReason = optionalNote.refine(
  (reason) => reason !== null,
  'Say why: whoever looks at it later has nothing else to go by',
);

/** An effect as GraphQL shows it. */
export function showEffect(column: unknown): ShownEffect {
  const shown = adjustmentEffectSchema.parse(column);
  const { units, percent, limit, burst, capacity, queue } = shown as {
    [Name in keyof Omit<ShownEffect, 'kind'>]?: number;
  };
  return {
    kind: upper(shown.kind) as EffectKind,
    units: units ?? null,
    percent: percent ?? null,
    limit: limit ?? null,
    burst: burst ?? null,
    capacity: capacity ?? null,
    queue: queue ?? null,
  };
}
