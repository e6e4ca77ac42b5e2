import { ActionIcon } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { AddButton } from '../../components/buttons.js';
import type { ApiDetail } from './api.js';
import type { ApiFormProps } from './api-forms.js';

export type OpenPart<T> = { kind: 'add' } | { kind: 'edit' | 'delete'; part: T };

export interface PartsPanelProps extends Pick<ApiFormProps, 'aside' | 'onDone'> {
  api: ApiDetail;
  editable: boolean;
}

/** One form at a time over a list of parts; `form` has the properties that all forms take. */
export function usePartForms<T>({ api, aside, onDone }: PartsPanelProps) {
  const [open, setOpen] = useState<OpenPart<T>>();
  const form = {
    api,
    ...(aside ? { aside } : {}),
    onClose: () => setOpen(undefined),
    onDone: (title: string, changeId: string | null | undefined) => {
      setOpen(undefined);
      onDone(title, changeId);
    },
  };
  return { open, setOpen, form };
}

interface AddPartButtonProps {
  label: string;
  editable: boolean;
  onClick: () => void;
}

export function AddPartButton({ label, editable, onClick }: AddPartButtonProps) {
  return (
    <AddButton permission="apis:write" variant="default" disabled={!editable} onClick={onClick}>
      {label}
    </AddButton>
  );
}

interface PartButtonsProps {
  editLabel: string;
  deleteLabel: string;
  onEdit: () => void;
  onDelete: () => void;
}

export function PartButtons({ editLabel, deleteLabel, onEdit, onDelete }: PartButtonsProps) {
  return (
    <>
      <ActionIcon aria-label={editLabel} onClick={onEdit}>
        <IconPencil size={16} stroke={1.7} aria-hidden />
      </ActionIcon>
      <ActionIcon aria-label={deleteLabel} onClick={onDelete}>
        <IconTrash size={16} stroke={1.7} aria-hidden />
      </ActionIcon>
    </>
  );
}
