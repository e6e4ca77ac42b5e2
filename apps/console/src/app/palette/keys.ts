import { useEffect } from 'react';

export const MOD_KEY = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** Pages by the letter after `g`. */
export const GO_TO = {
  h: { to: '/', label: 'Home' },
  l: { to: '/live', label: 'Live' },
  t: { to: '/tenants', label: 'Tenants' },
  i: { to: '/tiers', label: 'Tiers' },
  a: { to: '/apis', label: 'APIs' },
  n: { to: '/nodes', label: 'Nodes' },
  u: { to: '/audit', label: 'Audit trail' },
  m: { to: '/notices', label: 'Notices' },
} as const;

const SEQUENCE_MS = 1_200;
const FILTERS =
  'main search input, main [role="search"] input, main input[type="search"], main input[data-filter]';

export interface KeyActions {
  onPalette: () => void;
  onSheet: () => void;
  onGo: (to: (typeof GO_TO)[keyof typeof GO_TO]['to']) => void;
}

/** The keyboard map. Single letters do nothing while something is being typed, or under a dialog. */
export function useKeys({ onPalette, onSheet, onGo }: KeyActions): void {
  useEffect(() => {
    let goUntil = 0;
    const listen = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isUnderDialog()) return;
      if (event.timeStamp < goUntil && Object.hasOwn(GO_TO, event.key)) {
        goUntil = 0;
        event.preventDefault();
        onGo(GO_TO[event.key as keyof typeof GO_TO].to);
        return;
      }
      goUntil = event.key === 'g' ? event.timeStamp + SEQUENCE_MS : 0;
      if (event.key === '?') onSheet();
      if (event.key === '/') {
        const filter = document.querySelector<HTMLElement>(FILTERS);
        if (filter === null) return;
        event.preventDefault();
        filter.focus();
      }
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [onPalette, onSheet, onGo]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  );
}

function isUnderDialog(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}
