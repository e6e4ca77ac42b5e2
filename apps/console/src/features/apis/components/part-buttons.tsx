import { ActionIcon } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { GatedButton } from '../../../components/gated-button.js';

interface AddPartButtonProps {
  label: string;
  editable: boolean;
  onClick: () => void;
}

/** Begins a new part of an API. */
export function AddPartButton({ label, editable, onClick }: AddPartButtonProps) {
  return (
    <GatedButton
      permission="apis:write"
      variant="default"
      disabled={!editable}
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={onClick}
    >
      {label}
    </GatedButton>
  );
}

interface PartButtonsProps {
  editLabel: string;
  deleteLabel: string;
  onEdit: () => void;
  onDelete: () => void;
}

/** Changes or removes a part of an API that is there. */
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
