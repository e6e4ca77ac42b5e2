// Without schemas, so that the first page of the console does not load them.

/** Whether the limit is 0: it denies every request, without a counter. */
export const isBlocking = ({ limit }: { readonly limit: number }): boolean => limit === 0;

/** In `alsoApis`: every API. */
export const EVERY_API = '*';

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

/** Stands for all labels that have no amount, and for requests without a label. */
export const OTHER_LABELS = '*';
