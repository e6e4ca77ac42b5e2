/**
 * The absolute URL of a path on an origin.
 *
 * @param origin such as `https://tollgate.example`
 * @param path such as `/portal/acme?paid=1`, as a caller sent it
 * @returns undefined for a path that leads to another origin, contains control characters or credentials, or starts with two
 *   slashes once it is resolved: a browser takes `//host` in a `Location` header for another host
 */
export function sameOriginUrl(origin: string, path: string): string | undefined {
  const isPath = path.startsWith('/') && !/[\p{Cc}\\]/u.test(path);
  if (!isPath || !URL.canParse(path, origin)) return undefined;
  const url = new URL(path, origin);
  const isSame =
    url.origin === new URL(origin).origin &&
    url.username === '' &&
    url.password === '' &&
    !url.pathname.startsWith('//');
  return isSame ? url.href : undefined;
}
