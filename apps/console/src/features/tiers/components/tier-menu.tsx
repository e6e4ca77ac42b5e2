import { ActionIcon, Menu } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconArrowsDiff,
  IconCopy,
  IconDots,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../../lib/viewer.js';
import type { TierDetail } from '../api/tier.js';
import { TierDuplicate } from './tier-duplicate.js';
import { TierEdit } from './tier-edit.js';
import { TierLifecycle, type TierStep } from './tier-lifecycle.js';

interface TierMenuProps {
  tier: TierDetail;
  /** Called with the change to follow and what it was. */
  onChanged: (changeId: string, title: string) => void;
}

type Open = 'edit' | 'duplicate' | TierStep;

/** What can be done to a tier besides its limits. */
export function TierMenu({ tier, onChanged }: TierMenuProps) {
  const navigate = useNavigate();
  const { allowed } = usePermission('tiers:write');
  const [open, setOpen] = useState<Open>();
  const isOurs = allowed && tier.managedBy === 'CONSOLE';
  const wasPublished = tier.versions.some(({ status }) => status !== 'DRAFT');
  const close = () => setOpen(undefined);
  const newest = tier.draft ?? tier.published;
  return (
    <>
      <Menu position="bottom-end" width={190}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={`More actions for ${tier.name}`}>
            <IconDots size={17} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconPencil size={15} aria-hidden />}
            disabled={!isOurs}
            onClick={() => setOpen('edit')}
          >
            Edit details
          </Menu.Item>
          <Menu.Item
            leftSection={<IconCopy size={15} aria-hidden />}
            disabled={!allowed}
            onClick={() => setOpen('duplicate')}
          >
            Duplicate
          </Menu.Item>
          <Menu.Item
            leftSection={<IconArrowsDiff size={15} aria-hidden />}
            onClick={() =>
              void navigate({
                to: '/tiers/compare',
                search: newest ? { a: tier.key, av: newest.number } : { a: tier.key },
              })
            }
          >
            Compare
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={
              tier.archivedAt ? (
                <IconArchiveOff size={15} aria-hidden />
              ) : (
                <IconArchive size={15} aria-hidden />
              )
            }
            disabled={!isOurs}
            onClick={() => setOpen(tier.archivedAt ? 'restore' : 'archive')}
          >
            {tier.archivedAt ? 'Restore' : 'Archive'}
          </Menu.Item>
          {!wasPublished && (
            <Menu.Item
              color="ember"
              leftSection={<IconTrash size={15} aria-hidden />}
              disabled={!isOurs}
              onClick={() => setOpen('delete')}
            >
              Delete
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'edit' && <TierEdit tier={tier} onClose={close} onChanged={onChanged} />}
      {open === 'duplicate' && <TierDuplicate tier={tier} onClose={close} />}
      {(open === 'archive' || open === 'restore' || open === 'delete') && (
        <TierLifecycle tier={tier} step={open} onClose={close} />
      )}
    </>
  );
}
