import * as z from 'zod';
import { EVERY_API, type Reach } from './limit-scope.js';
import { apiKeySchema } from './names.js';

const MAX_ALSO_APIS = 100;

export const reachFields = {
  alsoApis: z
    .array(z.union([z.literal(EVERY_API), apiKeySchema]))
    .min(1, 'Name an API, or leave alsoApis out')
    .max(MAX_ALSO_APIS, `A limit covers at most ${MAX_ALSO_APIS} further APIs`)
    .refine((keys) => new Set(keys).size === keys.length, 'An API is named twice')
    .refine((keys) => keys.length === 1 || !keys.includes(EVERY_API), '* includes every API; name no other')
    .optional()
    .describe(
      'Further APIs whose requests it counts, or `*` alone for every API. For limits on all operations; the names of the limits of these APIs must differ from its own.',
    ),
};

/** Fields that a limit on several APIs does not allow, with the fix. */
export function findReachProblems(
  limit: Reach & { readonly operations: readonly string[]; readonly throttle?: { mode: string } | undefined },
): { field: string; message: string }[] {
  const { api, alsoApis, operations, throttle } = limit;
  if (alsoApis === undefined) return [];
  const problems: { field: string; message: string }[] = [];
  const report = (field: string, message: string) => problems.push({ field, message });
  if (alsoApis.includes(api)) report('alsoApis', `The limit is on API ${api} already; leave it out`);
  if (operations.length > 0)
    report('operations', 'A limit on several APIs covers all operations; leave operations empty');
  if (throttle?.mode === 'elastic')
    report('throttle', 'A limit on several APIs cannot borrow from the pool of one; choose another mode');
  return problems;
}
