import { localStorageColorSchemeManager } from '@mantine/core';

/** Remembers the reader's choice of light, dark or the system's. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'tollgate-color-scheme' });

/**
 * Puts the chosen scheme on the document before anything is drawn. Mantine's own script does this inline, which the
 * content security policy forbids; index.html holds rendering back until the bundle has run.
 */
export function applyStoredColorScheme(): void {
  const chosen = colorSchemeManager.get('auto');
  const dark =
    chosen === 'dark' || (chosen === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
}
