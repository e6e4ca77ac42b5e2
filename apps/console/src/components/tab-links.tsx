import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './tab-links.module.css';

interface TabLinksProps {
  /** Read out before the links. */
  label: string;
  tabs: ReadonlyArray<{
    label: string;
    /** How much there is, or what needs somebody. */
    mark?: ReactNode;
    link: LinkProps;
    /** Whether only the address itself is this tab, not those below it. */
    exact?: boolean;
  }>;
}

/** The parts of a page that have an address each; a narrow screen scrolls them sideways. */
export function TabLinks({ label, tabs }: TabLinksProps) {
  return (
    <nav aria-label={label} className={classes.tabs}>
      <ul className={classes.list}>
        {tabs.map(({ label: text, mark, link, exact = false }) => (
          <li key={text}>
            <Link {...link} className={classes.tab} activeOptions={{ exact, includeSearch: false }}>
              {text}
              {mark !== undefined && <span className={classes.mark}>{mark}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
