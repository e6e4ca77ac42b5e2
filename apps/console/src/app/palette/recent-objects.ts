import type { Found } from './search-everything.js';

const RECENT = 'tollgate-recent-objects';
const KEPT = 6;
const KINDS: Readonly<Record<string, string>> = {
  tenants: 'Tenant',
  tiers: 'Tier',
  apis: 'API',
  offers: 'Offer',
};

/** The objects whose pages this browser opened last, newest first; by key until their name was shown. */
export function recentObjects(): Found[] {
  const lines = localStorage.getItem(RECENT)?.split('\n') ?? [];
  return lines.map((line) => {
    const [href = '', name = ''] = line.split('\t');
    const [, kind = '', key = ''] = href.split('/');
    return { label: name || key, hint: KINDS[kind] ?? kind, href };
  });
}

/** Remembers the object whose page, or a page below, is at this path, with its name once that is known. */
export function rememberObject(pathname: string, name?: string): void {
  const [, kind = '', key = ''] = pathname.split('/');
  if (!Object.hasOwn(KINDS, kind) || key === '' || key === 'new' || key === 'compare') return;
  const href = `/${kind}/${key}`;
  const known = recentObjects();
  const label = name?.replaceAll(/\s+/g, ' ').trim() || known.find((one) => one.href === href)?.label || key;
  const recent = [{ href, label }, ...known.filter((one) => one.href !== href)].slice(0, KEPT);
  localStorage.setItem(RECENT, recent.map((one) => `${one.href}\t${one.label}`).join('\n'));
}
