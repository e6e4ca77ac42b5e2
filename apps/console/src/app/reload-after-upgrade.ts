const RELOADED_AT = 'tollgate-reloaded-at';
const ONCE_PER_MS = 30_000;

/**
 * An upgrade replaces the files that an open tab would still fetch. Then the page is loaded anew; at most twice a
 * minute, so that a file which is truly missing ends in an error message and not in a loop.
 */
export function reloadAfterUpgrade(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const reloadedAt = Number(sessionStorage.getItem(RELOADED_AT) ?? '0');
    if (Date.now() - reloadedAt < ONCE_PER_MS) return;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}
