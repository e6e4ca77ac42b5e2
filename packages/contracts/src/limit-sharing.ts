import * as z from 'zod';
import { apiKeySchema, limitNameSchema, tenantKeySchema } from './names.js';

/** In `label` of a limit in an answer: the limit is the parent's. */
export const PARENT_LABEL = 'parent';

/** In `label`: the part of a shared limit that only one child uses, and what is left of it for all others. */
export const FLOOR_LABEL = 'floor';
export const COMMON_LABEL = 'common';

/** Of one parent, over all limits and children. */
export const MAX_FLOORS = 500;

/** A part of a limit that a parent shares, which only one child uses. */
export const floorSchema = z.strictObject({
  child: tenantKeySchema,
  api: apiKeySchema,
  limit: limitNameSchema,
  units: z.int('units must be a whole number').min(1, 'units must be 1 or more'),
});

export type Floor = z.infer<typeof floorSchema>;

/** The floors of one child, one per limit. */
export const childFloorsSchema = z
  .array(floorSchema.omit({ child: true }))
  .max(MAX_FLOORS, `A tenant has at most ${MAX_FLOORS} floors`)
  .refine(
    (floors) => new Set(floors.map(({ api, limit }) => `${api}/${limit}`)).size === floors.length,
    'A limit is named twice',
  );

export type ChildFloor = Omit<Floor, 'child'>;

export const sharingFields = {
  sharedWithChildren: z
    .boolean()
    .optional()
    .describe(
      'Whether requests of child tenants count too, on the counter of their parent. For limits of the tenant as a whole.',
    ),
};

interface SharableLimit {
  readonly per: readonly string[];
  readonly storage?: string | undefined;
  readonly sharedWithChildren?: boolean | undefined;
  readonly amounts?: object | undefined;
  readonly candidate?: object | undefined;
  readonly penalty?: object | undefined;
  readonly throttle?: { readonly mode: string } | undefined;
  readonly consistency?: { readonly mode: string } | undefined;
}

/** Terms that a limit shared with children cannot have, with the fix. */
export function findSharingProblems(limit: SharableLimit): { field: string; message: string }[] {
  if (limit.sharedWithChildren !== true) return [];
  const { per, storage = 'key', amounts, candidate, penalty, throttle, consistency } = limit;
  const problems: { field: string; message: string }[] = [];
  const need = (isMet: boolean, field: string, fix: string) => {
    if (!isMet)
      problems.push({
        field,
        message: `A limit shared with children ${fix}, or set sharedWithChildren to false`,
      });
  };
  need(per.length === 0, 'per', 'counts the tenant as a whole; empty per');
  need(storage === 'key', 'storage', 'has storage key; leave storage out');
  need(amounts === undefined, 'amounts', 'has no amounts per label; leave amounts out');
  need(candidate === undefined, 'candidate', 'has no candidate; leave candidate out');
  need(
    penalty === undefined,
    'penalty',
    'has no penalty, which one child would cause for all; leave penalty out',
  );
  need(throttle?.mode !== 'elastic', 'throttle', 'cannot borrow from a pool; choose another mode');
  need(consistency?.mode !== 'leased', 'consistency', 'is strict; leave consistency out');
  return problems;
}

interface FlooredLimit extends SharableLimit {
  readonly algorithm: string;
  readonly alignment?: string;
  readonly enforcement?: { readonly mode: string } | undefined;
}

/**
 * Why a limit cannot have floors; undefined: it can. The usage of its parts has to add up to its own at every moment: their windows must
 * begin with those of the limit, and each unit must count for the same time.
 */
export function findFloorProblem(limit: FlooredLimit): string | undefined {
  const { algorithm, alignment, throttle, enforcement, sharedWithChildren } = limit;
  if (sharedWithChildren !== true)
    return 'The limit is not shared with children; set sharedWithChildren first.';
  const isWindow = algorithm === 'fixed_window' && alignment === 'clock';
  if (!isWindow && !['sliding_window_log', 'concurrency', 'quota'].includes(algorithm))
    return 'Only fixed windows on the clock, exact sliding windows, quotas and concurrency limits have floors.';
  if ((throttle?.mode ?? 'hard') !== 'hard')
    return 'Only a limit without extra allowance has floors; set throttle to hard.';
  if ((enforcement?.mode ?? 'enforce') !== 'enforce') return 'Only an enforced limit has floors.';
  return undefined;
}

/** Floors of a limit, by child, and the rest for all others. */
export interface LimitFloors {
  readonly units: ReadonlyMap<string, number>;
  readonly common: number;
}

/**
 * The floors of a limit in effect. Floors above the limit together shrink in proportion, rounded down.
 * @param floors of the parent, one per child and limit @returns undefined if none of them is in effect
 */
export function floorsOf(
  floors: readonly Floor[] | undefined,
  limit: FlooredLimit & { readonly api: string; readonly name: string; readonly limit: number },
): LimitFloors | undefined {
  const own = (floors ?? []).filter((one) => one.api === limit.api && one.limit === limit.name);
  if (own.length === 0 || limit.limit === 0 || findFloorProblem(limit) !== undefined) return undefined;
  const sum = own.reduce((units, one) => units + BigInt(one.units), 0n);
  const most = BigInt(limit.limit);
  const inEffect = own.map(({ child, units }): [string, number] => [
    child,
    sum <= most ? units : Number((BigInt(units) * most) / sum),
  ]);
  const reserved = inEffect.reduce((units, [, one]) => units + one, 0);
  return { units: new Map(inEffect), common: limit.limit - reserved };
}
