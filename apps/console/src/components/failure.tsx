import { Button, Code, Stack, Text, Title } from '@mantine/core';
import { IconCloudOff, IconLock, IconMoodConfuzed, IconRefresh, IconZoomQuestion } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { RequestError } from '../lib/graphql-request.js';

interface FailureProps {
  error: Error;
  onRetry?: () => void;
}

/** What to show in place of data that did not come: what failed, what still works, and what to do. */
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
      title: 'Your role may not see this',
      text: 'An Owner can give you a role that may. Nothing was changed.',
    };
  }
  if (code === 'NOT_FOUND') {
    return {
      icon: <IconZoomQuestion {...icon} />,
      title: 'There is no such tenant',
      text: 'Not here, or not for you. Check the address, or whether you have signed in as the right person.',
    };
  }
  if (code === 'NETWORK') {
    return {
      icon: <IconCloudOff {...icon} />,
      title: 'The control plane cannot be reached',
      text: 'Decisions go on: nodes enforce the last revision that they have. Check that the control plane is running.',
    };
  }
  return {
    icon: <IconMoodConfuzed {...icon} />,
    title: 'This could not be loaded',
    text: `${error.message} Nothing was changed.`,
  };
}
