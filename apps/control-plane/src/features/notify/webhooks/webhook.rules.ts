import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalDescription, optionalNote, orDefault } from '../../../platform/changes/text.js';
import type { SealBinding } from '../../../platform/secrets/sealed-secrets.js';

/** The use that the signing secret of an endpoint is sealed for. */
export function secretBinding(endpointId: string): SealBinding {
  return { purpose: 'webhook secret', id: endpointId };
}

/** Endpoints that one tenant, or the operator, may have. */
export const MAX_ENDPOINTS = 20;

const events = (kinds: readonly string[]) =>
  z
    .array(
      z.string().refine((kind) => kinds.includes(kind), { error: `An event is one of: ${kinds.join(', ')}` }),
    )
    .max(100)
    .refine((list) => new Set(list).size === list.length, 'An event is named twice');

const target = z.string();
const id = z.string();
const expectedVersion = z.int();

/** @param kinds every kind of event that there is @param checkUrl what is wrong with a URL */
export function webhookSchemas(kinds: readonly string[], checkUrl: (url: string) => string | undefined) {
  const url = target.superRefine((text, context) => {
    const message = checkUrl(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
  return {
    create: z.object({
      tenantKey: tenantKeySchema.nullish().transform((key) => key ?? null),
      url,
      description: orDefault(z.string().trim().max(200), ''),
      events: orDefault(events(kinds), []),
      reason: optionalNote,
    }),
    update: z.object({
      id,
      expectedVersion,
      url: url.nullish(),
      description: optionalDescription,
      events: events(kinds).nullish(),
      reason: optionalNote,
    }),
    rotate: z.object({
      id,
      expectedVersion,
      overlapHours: orDefault(z.int().min(0).max(168, 'Two secrets overlap for a week at most'), 24),
      reason: optionalNote,
    }),
    retry: z.object({ id, reason: optionalNote }),
    target: z.object({ id, expectedVersion, reason: optionalNote }),
  };
}
