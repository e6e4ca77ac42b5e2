import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconSend } from '@tabler/icons-react';
import { GatedButton } from '../../components/buttons.js';
import { askToConfirm } from '../../components/confirmation.js';
import { notifyFailure } from '../../lib/graphql-request.js';
import type { EndpointInList } from './api.js';
import {
  useEndpointDelete,
  useEndpointDisable,
  useEndpointEnable,
  useEndpointRotate,
  useEndpointTest,
} from './api.js';
import { EndpointEditButton } from './endpoint-dialogs.js';

const TITLE = {
  delete: 'Delete this endpoint?',
  disable: 'Disable this endpoint?',
  rotate: 'Rotate the secret?',
} as const;

const HINT = {
  delete: 'Deletes its deliveries and attempts. This cannot be undone.',
  disable: 'Events are not sent or kept while it is disabled.',
  rotate: 'Events are signed with both secrets for 24 hours, so receivers can switch without missing any.',
} as const;

const LABEL = { delete: 'Delete', disable: 'Disable', rotate: 'Rotate secret' } as const;

interface EndpointActionsProps {
  endpoint: EndpointInList;
  onSecret: (secret: string) => void;
  onDeleted: () => void;
}

/** Actions of an endpoint. */
export function EndpointActions({ endpoint, onSecret, onDeleted }: EndpointActionsProps) {
  const target = { id: endpoint.id, expectedVersion: endpoint.version };
  const [test, rotate] = [useEndpointTest(), useEndpointRotate()];
  const [enable, disable, remove] = [useEndpointEnable(), useEndpointDisable(), useEndpointDelete()];
  const onError = notifyFailure('Action failed');
  const ask = (what: 'rotate' | 'disable' | 'delete', color: string, onConfirm: () => void) =>
    askToConfirm({
      title: TITLE[what],
      children: <Text size="sm">{HINT[what]}</Text>,
      labels: { confirm: LABEL[what], cancel: 'Cancel' },
      color,
      onConfirm,
    });
  const common = { permission: 'webhooks:write', variant: 'default' } as const;
  const isOn = endpoint.status === 'ENABLED';
  return (
    <>
      <GatedButton
        {...common}
        leftSection={<IconSend size={15} aria-hidden />}
        disabled={!isOn}
        loading={test.isPending}
        onClick={() =>
          test.mutate(target, {
            onSuccess: () =>
              notifications.show({ message: 'Test event sent', color: 'gate', withBorder: true }),
            onError,
          })
        }
      >
        Send test event
      </GatedButton>
      <EndpointEditButton endpoint={endpoint} />
      <GatedButton
        {...common}
        loading={rotate.isPending}
        onClick={() => ask('rotate', 'gate', () => rotate.mutate(target, { onSuccess: onSecret, onError }))}
      >
        Rotate secret
      </GatedButton>
      {isOn ? (
        <GatedButton
          {...common}
          loading={disable.isPending}
          onClick={() => ask('disable', 'ember', () => disable.mutate(target, { onError }))}
        >
          Disable
        </GatedButton>
      ) : (
        <GatedButton
          {...common}
          loading={enable.isPending}
          onClick={() => enable.mutate(target, { onError })}
        >
          Enable
        </GatedButton>
      )}
      <GatedButton
        {...common}
        color="ember"
        loading={remove.isPending}
        onClick={() => ask('delete', 'ember', () => remove.mutate(target, { onSuccess: onDeleted, onError }))}
      >
        Delete
      </GatedButton>
    </>
  );
}
