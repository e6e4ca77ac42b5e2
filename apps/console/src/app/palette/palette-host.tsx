import { useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { loadChunk } from '../../lib/query-client.js';
import { useKeys } from './keys.js';
import { rememberObject } from './recent-objects.js';

// Loaded on first use, to keep the first page small.
const Palette = lazy(() => loadChunk(() => import('./palette.js')));
const KeysSheet = lazy(() => loadChunk(() => import('./keys-sheet.js')));

/** The heading of the page: the name of its object. */
const shownName = () => document.querySelector('h1')?.textContent ?? undefined;

/** The command palette and keyboard shortcuts; `children` receives a function that opens the palette. */
export function PaletteHost({ children }: { children: (open: () => void) => ReactNode }) {
  const [shown, setShown] = useState<'palette' | 'keys'>();
  const router = useRouter();
  const onPalette = useCallback(() => {
    rememberObject(router.state.location.pathname, shownName());
    setShown('palette');
  }, [router]);
  const onSheet = useCallback(() => setShown('keys'), []);
  const onGo = useCallback((to: string) => router.history.push(to), [router]);
  const close = useCallback(() => setShown(undefined), []);
  useEffect(() => {
    const leave = router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
      if (fromLocation) rememberObject(fromLocation.pathname, shownName());
    });
    const arrive = router.subscribe('onResolved', ({ toLocation }) => rememberObject(toLocation.pathname));
    return () => {
      leave();
      arrive();
    };
  }, [router]);
  useKeys({ onPalette, onSheet, onGo });
  return (
    <>
      {children(onPalette)}
      <Suspense fallback={null}>
        {shown === 'palette' && <Palette onClose={close} onSheet={onSheet} />}
        {shown === 'keys' && <KeysSheet onClose={close} />}
      </Suspense>
    </>
  );
}
