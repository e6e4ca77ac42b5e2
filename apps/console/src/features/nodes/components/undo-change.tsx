import { Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { changeReversalQuery, useChangeRevert } from '../../../lib/change-revert.js';
import { tellFailed } from '../../../lib/graphql-request.js';
import { usePermission } from '../../../lib/viewer.js';

/** How long a change can be undone from its toast; later it is reverted from the history. */
export const UNDO_MS = 30_000;

interface UndoChangeProps {
  changeId: string;
  /** Told the change that took this one back. */
  onUndone: (changeId: string | null) => void;
}

/** Takes the change back, for half a minute; nothing where it cannot be. */
export function UndoChange({ changeId, onUndone }: UndoChangeProps) {
  const { allowed } = usePermission('audit:read');
  const { data } = useQuery({ ...changeReversalQuery(changeId), enabled: allowed });
  const [inTime, setInTime] = useState(true);
  const undo = useChangeRevert();
  useEffect(() => {
    const timer = setTimeout(() => setInTime(false), UNDO_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!inTime || data?.revertible !== true) return null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      style={{ alignSelf: 'flex-start' }}
      leftSection={<IconArrowBackUp size={14} aria-hidden />}
      loading={undo.isPending}
      onClick={() => undo.mutate({ changeId }, { onSuccess: onUndone, onError: tellFailed('Undo failed') })}
    >
      Undo
    </Button>
  );
}
