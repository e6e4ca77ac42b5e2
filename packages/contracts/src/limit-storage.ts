import * as z from 'zod';

export const MAX_EXPECTED_SUBJECTS = 10_000_000;

/** The hashes of a packed limit have 16 to 31 expected subjects, more only above 2^21. */
const MAX_HASHES = 2 ** 16;
const MIN_SUBJECTS_PER_HASH = 16;

/**
 * Layout of a limit's counters in Redis. `key`: one key per counter. `packed`: counters of one tenant are fields of a few
 * hashes. `subject`: counters of one subject, of all limits of the API with the same `per`, are fields of one hash.
 */
export const storageSchema = z.enum(['key', 'packed', 'subject']);

export type LimitStorage = z.infer<typeof storageSchema>;

const SUBJECTS_RANGE = `expectedSubjects must be a whole number from 1 to ${MAX_EXPECTED_SUBJECTS}`;

export const storageFields = {
  storage: storageSchema
    .optional()
    .describe(
      'Layout of its counters in Redis; `key` when omitted. Limits of one API and name have the same layout in all tiers, for good.',
    ),
  expectedSubjects: z
    .int(SUBJECTS_RANGE)
    .min(1, SUBJECTS_RANGE)
    .max(MAX_EXPECTED_SUBJECTS, SUBJECTS_RANGE)
    .optional()
    .describe(
      `With storage \`packed\`, required: subjects that a tenant has in one window, roughly, 1 to ${MAX_EXPECTED_SUBJECTS}. Determines the number of hashes, not how requests are decided.`,
    ),
};

/** The fields of a limit that its storage depends on. */
interface StorableLimit {
  readonly algorithm: string;
  readonly per: readonly string[];
  readonly charge?: string | undefined;
  readonly alignment?: string;
  readonly refill?: string;
  readonly windowMs?: number;
  readonly storage?: LimitStorage | undefined;
  readonly expectedSubjects?: number | undefined;
}

/** Hashes per tenant of a packed limit: a power of two, 2^16 at most. */
export function packedHashes(expectedSubjects: number): number {
  let hashes = 1;
  while (hashes < MAX_HASHES && expectedSubjects >= 2 * hashes * MIN_SUBJECTS_PER_HASH) hashes *= 2;
  return hashes;
}

/** The expected subjects, both ends included, with as many hashes as `expectedSubjects`. */
export function packedSubjects(expectedSubjects: number): { min: number; max: number } {
  const hashes = packedHashes(expectedSubjects);
  return {
    min: hashes === 1 ? 1 : hashes * MIN_SUBJECTS_PER_HASH,
    max: hashes === MAX_HASHES ? MAX_EXPECTED_SUBJECTS : 2 * hashes * MIN_SUBJECTS_PER_HASH - 1,
  };
}

const STORAGES: Readonly<Record<string, readonly LimitStorage[]>> = {
  fixed_window: ['key', 'packed', 'subject'],
  gcra: ['key', 'subject'],
  token_bucket: ['key', 'subject'],
  leaky_bucket: ['key', 'subject'],
};

/** Storages that limits of the algorithm can have. */
export function storagesOf(algorithm: string): readonly LimitStorage[] {
  return STORAGES[algorithm] ?? ['key'];
}

interface StorageProblem {
  field: string;
  message: string;
}

/** Fields that the limit's storage does not allow, with the fix. */
export function findStorageProblems(limit: StorableLimit): StorageProblem[] {
  const { storage = 'key', expectedSubjects } = limit;
  const problems: StorageProblem[] = [];
  if (storage !== 'packed' && expectedSubjects !== undefined) {
    const message = 'Only storage packed has expectedSubjects; leave it out';
    problems.push({ field: 'expectedSubjects', message });
  }
  if (storage === 'key') return problems;
  const need = (isMet: boolean, field: string, fix: string) => {
    if (!isMet) problems.push({ field, message: `storage ${storage} needs ${fix}, or leave storage out` });
  };
  const algorithms = Object.keys(STORAGES).filter((name) => storagesOf(name).includes(storage));
  const [only, ...others] = algorithms;
  const choice =
    others.length === 0
      ? `the algorithm ${only}; choose it`
      : `one of the algorithms ${algorithms.join(', ')}; choose one`;
  need(algorithms.includes(limit.algorithm), 'storage', choice);
  need((limit.charge ?? 'always') === 'always', 'charge', 'charge always; change it');
  if (storage === 'packed') needPacked(limit, need);
  else need(limit.refill !== 'interval', 'refill', 'a continuous refill; set refill to continuous');
  return problems;
}

function needPacked(limit: StorableLimit, need: (isMet: boolean, field: string, fix: string) => void): void {
  need(
    limit.per.some((dimension) => dimension !== 'global'),
    'per',
    'a dimension besides the tenant; add one to per',
  );
  need(limit.expectedSubjects !== undefined, 'expectedSubjects', 'expectedSubjects; set it');
  if (limit.algorithm !== 'fixed_window') return;
  need(limit.alignment === 'clock', 'alignment', 'windows on the clock; set alignment to clock');
  need(
    (limit.windowMs ?? 0) % 1000 === 0,
    'windowMs',
    'a window of whole seconds; change windowMs to a multiple of 1,000',
  );
}
