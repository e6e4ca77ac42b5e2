import { Anchor, type AnchorProps, Button, type ButtonProps, Group, Text } from '@mantine/core';
import { createLink, Link, type LinkComponentProps, type LinkProps } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, forwardRef, type ReactNode } from 'react';
import classes from './links.module.css';

type PlainAnchorProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> & AnchorProps;

const PlainAnchor = forwardRef<HTMLAnchorElement, PlainAnchorProps>((props, ref) => (
  <Anchor ref={ref} {...props} />
));
PlainAnchor.displayName = 'PlainAnchor';

export const LinkAnchor = createLink(PlainAnchor);
export type LinkAnchorProps = LinkComponentProps<typeof PlainAnchor>;

interface TenantLinkProps {
  tenantKey: string;
  size?: 'xs';
  /** Whether it is inside of a sentence. */
  inText?: boolean;
}

/** A tenant's key, linked to its page. */
export function TenantLink({ tenantKey, size, inText }: TenantLinkProps) {
  return (
    <LinkAnchor
      to="/tenants/$tenantKey"
      params={{ tenantKey }}
      {...(size && { size })}
      {...(inText && { inherit: true, underline: 'always' })}
    >
      {tenantKey}
    </LinkAnchor>
  );
}

/** Opens a document of the control plane in a new tab. */
export function PdfLink({ href, label, children }: { href: string; label: string; children: ReactNode }) {
  return (
    <Anchor href={href} target="_blank" rel="noopener" aria-label={label} inherit underline="always">
      {children}
    </Anchor>
  );
}

type PlainButtonProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> & ButtonProps;

const PlainButton = forwardRef<HTMLAnchorElement, PlainButtonProps>((props, ref) => (
  <Button component="a" ref={ref} {...props} />
));
PlainButton.displayName = 'PlainButton';

export const LinkButton = createLink(PlainButton);

interface TabLinksProps {
  /** Accessible name. */
  label: string;
  tabs: ReadonlyArray<{
    label: string;
    /** A count or marker. */
    mark?: ReactNode;
    link: LinkProps;
    /** Whether addresses below this one belong to other tabs. */
    exact?: boolean;
  }>;
}

/** Scrolls the list of tabs, not the page. */
function scrollToActive(tab: HTMLAnchorElement | null): void {
  const list = tab?.closest('nav');
  if (!list || tab?.getAttribute('aria-current') !== 'page') return;
  const overflow = tab.offsetLeft + tab.offsetWidth - list.offsetLeft - list.clientWidth;
  if (overflow > 0) list.scrollLeft = overflow;
}

/** Tabs with an address each; they scroll horizontally on narrow screens, to the active one. */
export function TabLinks({ label, tabs }: TabLinksProps) {
  return (
    <nav aria-label={label} className={classes.tabs}>
      <Group component="ul" className="tg-list" gap={4} wrap="nowrap">
        {tabs.map(({ label: text, mark, link, exact = false }) => (
          <li key={text}>
            <Link
              {...link}
              ref={scrollToActive}
              className={classes.tab}
              activeOptions={{ exact, includeSearch: false }}
            >
              {text}
              {mark !== undefined && (
                <Text span fz="xs" fw={400} c="dimmed" className="tg-number">
                  {mark}
                </Text>
              )}
            </Link>
          </li>
        ))}
      </Group>
    </nav>
  );
}
