import * as z from 'zod';

const DAY_MS = 86_400_000;

export const MAX_PENALTY_DENIALS = 10_000;
export const MAX_BLOCK_MS = 30 * DAY_MS;

const within = (name: string, min: number, max: number) => {
  const message = `${name} must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

/**
 * Blocks a subject that is denied too often. The n-th block in succession lasts `blockMs` × 2^(n - 1), `maxBlockMs` at most;
 * `maxBlockMs` after its end without another block, the next one is a first one again.
 */
export const penaltySchema = z
  .strictObject({
    denials: within('denials', 1, MAX_PENALTY_DENIALS).describe(
      `Denials by the limit within \`windowMs\` that start a block, 1 to ${MAX_PENALTY_DENIALS}.`,
    ),
    windowMs: within('windowMs', 1000, DAY_MS).describe(
      'Milliseconds from the first of these denials to the last, a second to a day.',
    ),
    blockMs: within('blockMs', 1000, MAX_BLOCK_MS).describe(
      'Length of the first block in milliseconds, a second to 30 days. Each further one is twice as long.',
    ),
    maxBlockMs: within('maxBlockMs', 1000, MAX_BLOCK_MS).describe(
      'Length of the longest block in milliseconds, `blockMs` to 30 days; also how long after a block the next one is a first one again.',
    ),
  })
  .refine(({ blockMs, maxBlockMs }) => maxBlockMs >= blockMs, {
    path: ['maxBlockMs'],
    message: 'maxBlockMs must be blockMs or more',
  });

export type Penalty = z.infer<typeof penaltySchema>;
export type PenaltyField = keyof Penalty;

export const PENALTY_FIELDS = Object.keys(penaltySchema.shape) as PenaltyField[];

/** A quota has none: the penalty would also deny after a top-up. */
export function hasPenalty(algorithm: string): boolean {
  return algorithm !== 'quota';
}

/** The fields of a limit that its penalty depends on. */
interface PenalizedLimit {
  readonly algorithm: string;
  readonly consistency?: { readonly mode: string } | undefined;
  readonly storage?: string | undefined;
  readonly penalty?: Penalty | undefined;
}

/** Terms that the limit cannot have together with a penalty, with the fix. */
export function findPenaltyProblems(limit: PenalizedLimit): { field: string; message: string }[] {
  if (limit.penalty === undefined) return [];
  const problems: { field: string; message: string }[] = [];
  const reject = (field: string, message: string) => problems.push({ field, message });
  if (!hasPenalty(limit.algorithm)) {
    reject('penalty', 'A quota has no penalty: it would also deny after a top-up. Leave penalty out');
  }
  if (limit.consistency?.mode === 'leased') {
    reject('penalty', 'A leased limit has no penalty: nodes deny locally. Use strict, or leave penalty out');
  }
  const { storage = 'key' } = limit;
  if (storage !== 'key') {
    reject(
      'penalty',
      `A limit with storage ${storage} has no penalty. Use storage key, or leave penalty out`,
    );
  }
  return problems;
}
