import type { Found } from './search-everything.js';

const RECENT = 'tollgate-recent-objects';
const KEPT = 6;
const KINDS: Readonly<Record<string, string>> = {
  tenants: 'Tenant',
  tiers: 'Tier',
  apis: 'API',
  offers: 'Offer',
};

/** The objects whose pages this browser opened last, newest first. */
export function recentObjects(): Found[] {
  const paths = localStorage.getItem(RECENT)?.split(' ') ?? [];
  return paths.map((href) => {
    const [, kind = '', key = ''] = href.split('/');
    return { label: key, hint: KINDS[kind] ?? kind, href };
  });
}

/** Remembers the object whose page, or a page below, is at this path. */
export function rememberObject(pathname: string): void {
  const [, kind = '', key = ''] = pathname.split('/');
  if (!Object.hasOwn(KINDS, kind) || key === '' || key === 'new' || key === 'compare') return;
  const href = `/${kind}/${key}`;
  const others = recentObjects().filter((recent) => recent.href !== href);
  localStorage.setItem(RECENT, [href, ...others.map((recent) => recent.href)].slice(0, KEPT).join(' '));
}
