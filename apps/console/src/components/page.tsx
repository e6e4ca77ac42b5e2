import { Skeleton, Text, Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId } from 'react';
import { LinkAnchor, type LinkAnchorProps } from './link.js';
import classes from './page.module.css';

interface PageProps {
  title: string;
  /** Beside the title: badges. */
  marks?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** The list that this page belongs to. */
  parent?: { label: string; to: NonNullable<LinkAnchorProps['to']> };
  children: ReactNode;
}

/** A page with its one heading; also names the browser's tab. */
export function Page({ title, marks, description, actions, parent, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <div className={classes.heading}>
          {parent && (
            <LinkAnchor to={parent.to} className={classes.crumb}>
              <IconChevronLeft size={14} aria-hidden /> {parent.label}
            </LinkAnchor>
          )}
          <div className={classes.titleLine}>
            <Title order={1}>{title}</Title>
            {marks}
          </div>
          {description && (
            <Text c="dimmed" mt={4} component="div">
              {description}
            </Text>
          )}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface PanelProps {
  title?: string;
  note?: ReactNode;
  actions?: ReactNode;
  /** Content that brings its own padding: tables and lists. */
  flush?: boolean;
  children: ReactNode;
}

/** One framed part of a page. */
export function Panel({ title, note, actions, flush = false, children }: PanelProps) {
  const headingId = useId();
  return (
    <section className={classes.panel} {...(title ? { 'aria-labelledby': headingId } : {})}>
      {title && (
        <div className={classes.panelHeader}>
          <div>
            <Title order={2} id={headingId}>
              {title}
            </Title>
            {note && (
              <Text size="sm" c="dimmed" component="div">
                {note}
              </Text>
            )}
          </div>
          {actions && <div className={classes.actions}>{actions}</div>}
        </div>
      )}
      {flush ? children : <div className={classes.panelBody}>{children}</div>}
    </section>
  );
}

/** Holds a page's place while its code or data is on the way. */
export function PageSkeleton() {
  return (
    <div className={classes.page} aria-busy="true">
      <div>
        <Skeleton h={26} w={180} />
        <Skeleton h={14} w={320} mt={12} maw="80%" />
      </div>
      <RowsSkeleton rows={6} framed />
    </div>
  );
}

/** Rows of a table that are on the way; as tall as the rows that will replace them. */
export function RowsSkeleton({ rows, framed = false }: { rows: number; framed?: boolean }) {
  const list = Array.from({ length: rows }, (_, i) => (
    <div key={i} style={{ padding: '13px 16px', borderBottom: '1px solid var(--tg-border)' }}>
      <Skeleton h={14} w={`${[62, 48, 70, 55][i % 4]}%`} />
    </div>
  ));
  return framed ? <div className={classes.panel}>{list}</div> : <div aria-busy="true">{list}</div>;
}
