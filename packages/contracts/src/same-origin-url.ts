/**
 * Returns the absolute URL of a path on an origin. Undefined if it leads to another origin, contains control
 * characters or credentials, or starts with two slashes, which browsers treat as another host.
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
