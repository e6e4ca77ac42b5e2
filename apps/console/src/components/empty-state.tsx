import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** What belongs here, and what to do next. */
  children: ReactNode;
  action?: ReactNode;
}

/** In place of a list that has nothing: what it is for and the way to its first entry. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap={6} py={48} px="md" ta="center">
      {icon}
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
