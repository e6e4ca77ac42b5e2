import { Badge, Text, type TextProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ManagedBy } from '../generated/graphql.js';
import { brand } from '../lib/brand.js';
import classes from './marks.module.css';

/** The logo of the installation, or of Tollgate. */
export function LogoMark({ size = 24 }: { size?: number }) {
  if (brand.logo !== null)
    return <img src={brand.logo} width={size} height={size} alt="" style={{ objectFit: 'contain' }} />;
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#0b6b64" />
      <path d="M9 7.5v17M5.8 24.5h6.4" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
      <path
        d="M9 18.5 25.5 9"
        stroke="#fff"
        strokeWidth="3.4"
        strokeLinecap="round"
        strokeDasharray="5.4 4.6"
      />
      <circle cx="23" cy="22" r="2.4" fill="#ff9f70" />
    </svg>
  );
}

export type DotTone = 'good' | 'warn' | 'bad' | 'quiet';

/** A colored dot with its meaning as text. */
export function StateDot({
  tone,
  pulse = false,
  children,
}: {
  tone: DotTone;
  pulse?: boolean;
  children: ReactNode;
}) {
  return (
    <span className={classes.state}>
      <span className={classes.dot} data-tone={tone} data-pulse={pulse || undefined} aria-hidden="true" />
      {children}
    </span>
  );
}

/** A key, name or ID in monospace. */
export function KeyText({ children, ...props }: TextProps & { children: string; title?: string }) {
  return (
    <Text span ff="monospace" fz="0.92em" {...props}>
      {children}
    </Text>
  );
}

/** Marks an object that a configuration file manages; renders nothing for other objects. */
export function ManagedBadge({ managedBy }: { managedBy: ManagedBy }) {
  if (managedBy === 'CONSOLE') return null;
  return (
    <Tooltip label="Managed by a configuration file. Edit the file and run “tollgate config apply”. It is read-only here.">
      <Badge color="gray" tabIndex={0}>
        Managed in git
      </Badge>
    </Tooltip>
  );
}
