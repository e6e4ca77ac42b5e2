import * as z from 'zod';
import { apiKeySchema } from './names.js';

/** In `alsoApis`: every API. */
export const EVERY_API = '*';

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

/** The fields of a limit that determine its APIs. `api` is its home: overrides, usage and alerts name the limit by it. */
export interface Reach {
  readonly api: string;
  readonly alsoApis?: readonly string[] | undefined;
}

/** Whether the limit applies to requests of the API. */
export function coversApi({ api, alsoApis }: Reach, key: string): boolean {
  return api === key || (alsoApis !== undefined && (alsoApis.includes(EVERY_API) || alsoApis.includes(key)));
}

/** Whether `wide` covers every API that `narrow` covers. */
export function coversApisOf(wide: Reach, narrow: Reach): boolean {
  if (wide.alsoApis?.includes(EVERY_API) === true) return true;
  return !coversEveryApi(narrow) && reachOf(narrow).every((key) => coversApi(wide, key));
}

/** Whether an API has both limits. */
export function shareAnApi(a: Reach, b: Reach): boolean {
  return reachOf(a).some((key) => coversApi(b, key)) || reachOf(b).some((key) => coversApi(a, key));
}

/** The APIs that the limit names, its home first. */
export function reachOf({ api, alsoApis = [] }: Reach): string[] {
  return [api, ...alsoApis.filter((key) => key !== EVERY_API)];
}

export function coversEveryApi({ alsoApis }: Reach): boolean {
  return alsoApis?.includes(EVERY_API) === true;
}

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
