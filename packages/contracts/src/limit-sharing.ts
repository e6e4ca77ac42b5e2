import * as z from 'zod';

/** In `label` of a limit in an answer: the limit is the parent's. */
export const PARENT_LABEL = 'parent';

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
