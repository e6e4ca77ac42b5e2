import {
  Alert,
  type AlertProps,
  Box,
  Button,
  Code,
  Group,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import {
  IconAlertCircle,
  IconChevronLeft,
  IconCloudOff,
  IconLock,
  IconMoodConfuzed,
  type IconProps,
  IconRefresh,
  IconZoomQuestion,
} from '@tabler/icons-react';
import {
  type ComponentType,
  type CSSProperties,
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useId,
} from 'react';
import { brand } from '../lib/brand.js';
import { RequestError } from '../lib/graphql-request.js';
import { LinkAnchor, type LinkAnchorProps, LinkButton } from './links.js';
import classes from './page.module.css';

/** The organization whose pages are inside, for the titles of the browser tab. */
export const PageOwner = createContext<string | undefined>(undefined);

interface PageProps {
  title: string;
  /** The section of the object that is shown, for the title of the browser tab. */
  section?: string | undefined;
  /** Badges next to the title. */
  marks?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  parent?: { label: string; to: NonNullable<LinkAnchorProps['to']> };
  children: ReactNode;
}

/** A page with its heading; sets the title of the browser tab. */
export function Page({ title, section, marks, description, actions, parent, children }: PageProps) {
  const owner = useContext(PageOwner);
  const within = owner ?? (section === undefined ? parent?.label : undefined);
  useEffect(() => {
    const names = [section, title, within, brand.productName].filter((name) => name !== undefined);
    document.title = [...new Set(names)].join(' · ');
  }, [section, title, within]);
  return (
    <div className={classes.page}>
      <Group component="header" align="flex-start" justify="space-between" gap="12px 24px">
        <Box miw={0} flex="1 1 320px">
          {parent && (
            <LinkAnchor to={parent.to} className={classes.crumb}>
              <IconChevronLeft size={14} aria-hidden /> {parent.label}
            </LinkAnchor>
          )}
          <Group gap="6px 10px">
            <Title order={1}>{title}</Title>
            {marks}
          </Group>
          {description && (
            <Text c="dimmed" mt={4} component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap={8}>{actions}</Group>}
      </Group>
      {children}
    </div>
  );
}

interface ColumnsProps {
  /** Width of the first column relative to the second. */
  first: number;
  children: ReactNode;
}

/** Two columns, one above the other on narrow screens. */
export function Columns({ first, children }: ColumnsProps) {
  return (
    <div className={classes.columns} style={{ '--first-column': `${first}fr` } as CSSProperties}>
      {children}
    </div>
  );
}

interface PanelProps {
  title?: string;
  note?: ReactNode;
  actions?: ReactNode;
  /** For content with its own padding: tables and lists. */
  flush?: boolean;
  children: ReactNode;
}

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
          {actions && <Group gap={8}>{actions}</Group>}
        </div>
      )}
      {flush ? children : <Box p={16}>{children}</Box>}
    </section>
  );
}

/** Placeholder of a page while its code or data loads. */
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

/** Placeholder of table rows, as tall as the rows that replace them. */
export function RowsSkeleton({ rows, framed = false }: { rows: number; framed?: boolean }) {
  const list = Array.from({ length: rows }, (_, i) => (
    <div key={i} style={{ padding: '13px 16px', borderBottom: '1px solid var(--tg-border)' }}>
      <Skeleton h={14} w={`${[62, 48, 70, 55][i % 4]}%`} />
    </div>
  ));
  return framed ? <div className={classes.panel}>{list}</div> : <div aria-busy="true">{list}</div>;
}

interface QueryFallbackProps {
  query: { data: unknown; error: Error | null; refetch: () => unknown };
  /** Expected rows; omitted if the query is for the whole page. */
  rows?: number;
  framed?: boolean;
}

/** Takes the place of a query's data: rows while it loads, the error with a retry if it failed. */
export function QueryFallback({ query: { data, error, refetch }, rows, framed = false }: QueryFallbackProps) {
  if (data !== undefined) return null;
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  return rows === undefined ? <PageSkeleton /> : <RowsSkeleton rows={rows} framed={framed} />;
}

/** A sentence of explanation in a form or panel. */
export function Hint({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

/** One line in place of an empty list. */
export function EmptyText({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" p="md">
      {children}
    </Text>
  );
}

/** An error message; nothing without one. */
export function Problem({ children, ...props }: AlertProps) {
  if (!children) return null;
  return (
    <Alert role="alert" color="ember" icon={<IconAlertCircle size={18} aria-hidden />} {...props}>
      {children}
    </Alert>
  );
}

interface EmptyStateProps {
  icon?: ComponentType<IconProps>;
  title: string;
  /** Explains the list and the next step. */
  children: ReactNode;
  action?: ReactNode;
}

/** Placeholder of an empty list, with the action that adds the first entry. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap={6} py={48} px="md" ta="center">
      {Icon && <Icon size={30} stroke={1.5} aria-hidden />}
      <Title order={2} mt={4}>
        {title}
      </Title>
      <Text c="dimmed" maw={460} component="div">
        {children}
      </Text>
      {action && <div style={{ marginTop: 10 }}>{action}</div>}
    </Stack>
  );
}

interface MissingPageProps extends Required<Pick<EmptyStateProps, 'icon' | 'children'>> {
  title: string;
  /** Defaults to the title. */
  heading?: string;
  parent: NonNullable<PageProps['parent']>;
  /** Label of the link to the parent. */
  back: string;
}

/** A page whose address names something that does not exist. */
export function MissingPage({ title, heading = title, parent, back, icon, children }: MissingPageProps) {
  const action = (
    <LinkButton to={parent.to} variant="default">
      {back}
    </LinkButton>
  );
  return (
    <Page title={title} parent={parent}>
      <EmptyState icon={icon} title={heading} action={action}>
        {children}
      </EmptyState>
    </Page>
  );
}

interface FailureProps {
  error: Error;
  onRetry?: () => void;
}

/** Placeholder of data that failed to load: cause and next step. */
export function Failure({ error, onRetry }: FailureProps) {
  const { icon, title, text } = explain(error);
  const requestId = error instanceof RequestError ? error.requestId : undefined;
  return (
    <Stack align="center" gap="xs" py={56} px="md" role="alert" ta="center">
      {icon}
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw={460}>
        {text}
      </Text>
      {requestId && (
        <Text size="sm" c="dimmed">
          Request <Code>{requestId}</Code>
        </Text>
      )}
      {onRetry && (
        <Button
          variant="default"
          mt="xs"
          leftSection={<IconRefresh size={15} aria-hidden />}
          onClick={onRetry}
        >
          Try again
        </Button>
      )}
    </Stack>
  );
}

function explain(error: Error): { icon: ReactNode; title: string; text: string } {
  const code = error instanceof RequestError ? error.code : undefined;
  const icon = { size: 28, stroke: 1.5, color: 'var(--tg-text-soft)', 'aria-hidden': true } as const;
  if (code === 'FORBIDDEN') {
    return {
      icon: <IconLock {...icon} />,
      title: 'Your role cannot see this',
      text: 'Ask an Owner for a role with access.',
    };
  }
  if (code === 'NOT_FOUND') {
    return {
      icon: <IconZoomQuestion {...icon} />,
      title: 'Tenant not found',
      text: 'It does not exist, or you have no access. Check the address and the account you are signed in with.',
    };
  }
  if (code === 'NETWORK') {
    return {
      icon: <IconCloudOff {...icon} />,
      title: 'The control plane is unreachable',
      text: 'Nodes keep enforcing their last revision. Check that the control plane is running.',
    };
  }
  return {
    icon: <IconMoodConfuzed {...icon} />,
    title: 'Could not load this page',
    text: `${error.message} Nothing was changed.`,
  };
}
