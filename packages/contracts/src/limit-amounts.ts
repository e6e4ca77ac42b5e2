import * as z from 'zod';
import { isBlocking } from './limit-scope.js';
import { subjectDimensionSchema } from './names.js';

const MAX_LABELS = 50;

const LABEL = /^[A-Za-z0-9._@-]{1,32}$/;

const units = (name: string, least: number) =>
  z
    .int(`${name} must be a whole number from ${least} to ${Number.MAX_SAFE_INTEGER}`)
    .min(least, `${name} must be ${least} or more`);

export const labelAmountSchema = z.strictObject({
  label: z
    .string()
    .regex(LABEL, 'A label has 1 to 32 letters, digits, ".", "_", "@" and "-"')
    .describe('Value of the dimension, 1 to 32 letters, digits, `.`, `_`, `@` and `-`.'),
  limit: units('limit', 1).describe('Requests with this value, 1 to the limit.'),
});

/** Parts of a limit for the values of one dimension. The limit itself remains the ceiling of all values together. */
export const labelAmountsSchema = z.strictObject({
  by: subjectDimensionSchema.describe(
    'Dimension with the label, such as `region`; none that the limit counts by.',
  ),
  labels: z
    .array(labelAmountSchema)
    .min(1, 'labels must have one label or more')
    .max(MAX_LABELS, `A limit has amounts for ${MAX_LABELS} labels at most`)
    .refine(
      (labels) => new Set(labels.map(({ label }) => label)).size === labels.length,
      'A label is named twice',
    )
    .describe(`Amounts of 1 to ${MAX_LABELS} labels. They may add up to more than the limit.`),
  others: units('others', 0)
    .optional()
    .describe(
      'Amount of all other labels together, and of requests without a label; 0 denies them. Without it, only the limit applies to them.',
    ),
});

export type LabelAmounts = z.infer<typeof labelAmountsSchema>;

interface LabeledLimit {
  readonly limit: number;
  readonly per: readonly string[];
  readonly storage?: string | undefined;
  readonly penalty?: object | undefined;
  readonly throttle?: { readonly mode: string } | undefined;
  readonly consistency?: { readonly mode: string } | undefined;
  readonly amounts?: LabelAmounts | undefined;
}

/** Terms that the limit cannot have together with amounts per label, with the fix. */
export function findAmountProblems(limit: LabeledLimit): { field: string; message: string }[] {
  const { amounts, storage = 'key' } = limit;
  if (amounts === undefined) return [];
  const problems: { field: string; message: string }[] = [];
  const report = (field: string, message: string) => problems.push({ field, message });
  if (amounts.by === 'ip' || amounts.by === 'global' || amounts.by === 'tenant')
    report(
      'amounts',
      `Amounts are for values of a label such as region, not by ${amounts.by}; choose another dimension`,
    );
  if (limit.per.includes(amounts.by))
    report(
      'amounts',
      `The limit already counts each ${amounts.by} separately; remove it from per, or choose another label`,
    );
  const most = Math.max(amounts.others ?? 0, ...amounts.labels.map((one) => one.limit));
  // A blocked limit keeps its amounts for the time after the block.
  if (most > limit.limit && !isBlocking(limit))
    report(
      'amounts',
      `An amount is ${limit.limit} at most, the limit of all labels together; lower it or raise the limit`,
    );
  if (storage !== 'key')
    report(
      'amounts',
      `A limit with storage ${storage} has no amounts per label. Use storage key, or leave amounts out`,
    );
  if (limit.penalty !== undefined)
    report('amounts', 'A limit with a penalty has no amounts per label; leave one of them out');
  if (limit.throttle?.mode === 'elastic')
    report('amounts', 'A limit that borrows from a pool has no amounts per label; choose another mode');
  if (limit.consistency?.mode === 'leased')
    report('amounts', 'A leased limit has no amounts per label. Use strict, or leave amounts out');
  return problems;
}
