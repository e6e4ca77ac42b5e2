/** Operations of the demo's `website` API: groups of paths of the site that the 2015 log is from. */
export const PATH_GROUPS = [
  'home',
  'blog',
  'presentations',
  'projects',
  'images',
  'files',
  'styles',
  'articles',
  'other',
] as const;

export type PathGroup = (typeof PATH_GROUPS)[number];

/** First match decides, so that a style sheet inside a presentation belongs to the presentation. */
const RULES: readonly [pattern: RegExp, group: PathGroup][] = [
  [/^\/(?:index\.html?)?$/, 'home'],
  [/^\/blog(?:\/|$)/, 'blog'],
  [/^\/presentations(?:\/|$)/, 'presentations'],
  [/^\/projects(?:\/|$)/, 'projects'],
  [/^\/images(?:\/|$)/, 'images'],
  [/^\/files(?:\/|$)/, 'files'],
  [/^\/articles(?:\/|$)/, 'articles'],
  [/^\/styles?(?:\/|$)/, 'styles'],
  [/\.css$/, 'styles'],
];

/** The group that a request target belongs to; query, case and ways of writing the same path make no difference. */
export function pathGroup(target: string): PathGroup {
  const path = normalizePath(target);
  return RULES.find(([pattern]) => pattern.test(path))?.[1] ?? 'other';
}

/** The path as a web server would look it up: no query, one slash between segments, dots resolved, lower case. */
function normalizePath(target: string): string {
  const withoutOrigin = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [raw = ''] = withoutOrigin.split(/[?#]/, 1);
  if (raw !== '' && !raw.startsWith('/')) return raw;
  // Once only: decoding twice would turn `%252e` into a dot. An encoded slash stays part of its segment.
  const decoded = raw.replace(/%([2-7][0-9a-f])/gi, (escaped, hex: string) =>
    hex.toLowerCase() === '2f' ? escaped : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const segments: string[] = [];
  for (const segment of decoded.toLowerCase().split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const isFolder = /\/\.{0,2}$/.test(decoded) && segments.length > 0;
  return `/${segments.join('/')}${isFolder ? '/' : ''}`;
}
