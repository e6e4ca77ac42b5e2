import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconSend } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { askToConfirm } from '../../../components/confirmation.js';
import { GatedButton } from '../../../components/gated-button.js';
import { tellFailed } from '../../../lib/tell-failed.js';
import {
  useEndpointDelete,
  useEndpointDisable,
  useEndpointEnable,
  useEndpointRotate,
  useEndpointTest,
} from '../api/endpoint-actions.js';
import type { EndpointInList } from '../api/endpoints.js';
import { EndpointEditButton } from './endpoint-edit.js';

interface EndpointActionsProps {
  endpoint: EndpointInList;
  onSecret: (secret: string) => void;
  onDeleted: () => void;
}

/** What can be done to an endpoint. */
export function EndpointActions({ endpoint, onSecret, onDeleted }: EndpointActionsProps) {
  const t = useTranslations('webhooks');
  const target = { id: endpoint.id, expectedVersion: endpoint.version };
  const [test, rotate] = [useEndpointTest(), useEndpointRotate()];
  const [enable, disable, remove] = [useEndpointEnable(), useEndpointDisable(), useEndpointDelete()];
  const onError = tellFailed(t('failed'));
  const ask = (what: 'rotate' | 'disable' | 'delete', color: string, onConfirm: () => void) =>
    askToConfirm({
      title: t(`${what}Title`),
      children: <Text size="sm">{t(`${what}Hint`)}</Text>,
      labels: { confirm: t(what), cancel: t('keep') },
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
            onSuccess: () => notifications.show({ message: t('tested'), color: 'gate', withBorder: true }),
            onError,
          })
        }
      >
        {t('test')}
      </GatedButton>
      <EndpointEditButton endpoint={endpoint} />
      <GatedButton
        {...common}
        loading={rotate.isPending}
        onClick={() => ask('rotate', 'gate', () => rotate.mutate(target, { onSuccess: onSecret, onError }))}
      >
        {t('rotate')}
      </GatedButton>
      {isOn ? (
        <GatedButton
          {...common}
          loading={disable.isPending}
          onClick={() => ask('disable', 'ember', () => disable.mutate(target, { onError }))}
        >
          {t('disable')}
        </GatedButton>
      ) : (
        <GatedButton
          {...common}
          loading={enable.isPending}
          onClick={() => enable.mutate(target, { onError })}
        >
          {t('enable')}
        </GatedButton>
      )}
      <GatedButton
        {...common}
        color="ember"
        loading={remove.isPending}
        onClick={() => ask('delete', 'ember', () => remove.mutate(target, { onSuccess: onDeleted, onError }))}
      >
        {t('delete')}
      </GatedButton>
    </>
  );
}
