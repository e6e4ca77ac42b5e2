import { type Adjustment, adjustmentSchema } from '@tollgate/contracts';
import * as z from 'zod';

/** An adjustment as rows hold it: with what people want to know of it, and nodes do not need. */
export type StoredAdjustment = Adjustment & {
  /** What was sold or given, for people. */
  label: string;
  /** When it ends by itself, ISO 8601; null: when somebody ends it. */
  endsAt: string | null;
};

const storedFields = z.object({ label: z.string(), endsAt: z.iso.datetime().nullable() });

/** @throws Error for a column that holds none: nothing but a hand in the database writes one. */
export function readAdjustments(column: unknown): StoredAdjustment[] {
  return z
    .array(z.looseObject({}))
    .parse(column)
    .map(({ label, endsAt, ...adjustment }) => ({
      ...adjustmentSchema.parse(adjustment),
      ...storedFields.parse({ label, endsAt }),
    }));
}

/** An adjustment as nodes know it. */
export function toAdjustment({ label: _, endsAt: __, ...adjustment }: StoredAdjustment): Adjustment {
  return adjustment;
}

/** Whether two lists do the same to every limit, whatever they are called and whenever they end. */
export function doTheSame(a: readonly Adjustment[], b: readonly Adjustment[]): boolean {
  return a.length === b.length && effectsOf(a) === effectsOf(b);
}

/** What an adjustment does, and to which limits. */
export function effectOf({ source, api, limit, appliesTo, effect }: Adjustment): string {
  const { kind, ...numbers } = effect;
  return JSON.stringify([source, api, limit, appliesTo, kind, Object.entries(numbers).sort()]);
}

function effectsOf(adjustments: readonly Adjustment[]): string {
  return adjustments.map(effectOf).sort().join('\n');
}
