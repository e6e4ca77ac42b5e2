import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { NoticeBell } from '../../features/notices/notice-bell.js';
import { viewerQuery } from '../../lib/viewer.js';
import { PaletteHost } from '../palette/palette-host.js';
import classes from './console-shell.module.css';
import { Frame, SearchButton } from './frame.js';
import { NAVIGATION_GROUPS } from './navigation-groups.js';

/** The operators' main navigation, filtered by permission. */
export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { data: viewer } = useQuery(viewerQuery);
  const groups = NAVIGATION_GROUPS.map((group) => ({
    ...group,
    entries: group.entries.filter(
      ({ permission }) => permission === undefined || viewer?.permissions.includes(permission),
    ),
  })).filter(({ entries }) => entries.length > 0);
  return (
    <nav aria-label="Main">
      {groups.map(({ title, entries }) => (
        <div key={title ?? 'top'}>
          {title ? <div className={classes.groupTitle}>{title}</div> : <div style={{ height: 14 }} />}
          <ul className={classes.links}>
            {entries.map(({ label, to, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  className={classes.link}
                  activeOptions={{ exact: to === '/' }}
                  onClick={onNavigate}
                >
                  <Icon size={17} stroke={1.7} aria-hidden />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The operators' console. */
export function ConsoleShell() {
  return (
    <PaletteHost>
      {(openPalette) => (
        <Frame
          home={{ to: '/' }}
          beside={<NoticeBell />}
          search={<SearchButton onOpen={openPalette} />}
          navigation={(onNavigate) => <Navigation onNavigate={onNavigate} />}
        />
      )}
    </PaletteHost>
  );
}
