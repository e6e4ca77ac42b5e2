import { Button, Group } from '@mantine/core';

interface MoreButtonProps {
  /** An infinite query, or as much of it. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  /** The list goes back in time. */
  older?: boolean;
}

/** Asks for the next page of a list, while there is one. */
export function MoreButton({ list, older = false }: MoreButtonProps) {
  if (!list.hasNextPage) return null;
  return (
    <Group justify="center" p="sm">
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {older ? 'Show older' : 'Show more'}
      </Button>
    </Group>
  );
}
