import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Panel } from '../../../components/page.js';
import { SecretModal } from '../../../components/secret-modal.js';
import { StateDot } from '../../../components/state-dot.js';
import { useNewRecoveryCodes, useTwoFactorDisable } from '../api/account.js';
import { PasswordDialog } from './password-dialog.js';
import { TwoFactorSetupDialog } from './two-factor-setup.js';

type Dialog = 'setup' | 'off' | 'codes';

/** Turns two-factor authentication on and off, and makes new recovery codes. */
export function TwoFactorPanel({ enabled, codesLeft }: { enabled: boolean; codesLeft: number }) {
  const t = useTranslations('accountSecurity');
  const [dialog, setDialog] = useState<Dialog>();
  const [codes, setCodes] = useState<readonly string[]>();
  const disable = useTwoFactorDisable();
  const renew = useNewRecoveryCodes();
  const close = () => {
    disable.reset();
    renew.reset();
    setDialog(undefined);
  };
  const tell = (message: string) => notifications.show({ message, color: 'gate', withBorder: true });
  return (
    <Panel title={t('twoFactor')} note={t('twoFactorNote')}>
      <Group justify="space-between" gap="sm">
        <Group gap="md">
          <StateDot tone={enabled ? 'good' : 'quiet'}>{t(enabled ? 'on' : 'off')}</StateDot>
          {enabled && (
            <Text size="sm" c="dimmed">
              {t('codesLeft', { count: codesLeft })}
            </Text>
          )}
        </Group>
        <Group gap="xs">
          {enabled ? (
            <>
              <Button variant="default" size="sm" onClick={() => setDialog('codes')}>
                {t('newCodes')}
              </Button>
              <Button variant="default" size="sm" onClick={() => setDialog('off')}>
                {t('turnOff')}
              </Button>
            </>
          ) : (
            <Button size="sm" onClick={() => setDialog('setup')}>
              {t('turnOn')}
            </Button>
          )}
        </Group>
      </Group>
      {dialog === 'setup' && (
        <TwoFactorSetupDialog
          onClose={close}
          onEnabled={(made) => {
            close();
            setCodes(made);
            tell(t('twoFactorOn'));
          }}
        />
      )}
      {dialog === 'off' && (
        <PasswordDialog
          title={t('turnOff')}
          hint={t('turnOffHint')}
          submitLabel={t('turnOff')}
          pending={disable.isPending}
          error={disable.error}
          onClose={close}
          onSubmit={(password) =>
            disable.mutate(password, {
              onSuccess: () => {
                close();
                tell(t('twoFactorOff'));
              },
            })
          }
        />
      )}
      {dialog === 'codes' && (
        <PasswordDialog
          title={t('newCodes')}
          hint={t('newCodesHint')}
          submitLabel={t('newCodes')}
          pending={renew.isPending}
          error={renew.error}
          onClose={close}
          onSubmit={(password) =>
            renew.mutate(password, {
              onSuccess: ({ backupCodes }) => {
                close();
                setCodes(backupCodes);
              },
            })
          }
        />
      )}
      {codes && (
        <SecretModal
          title={t('recoveryCodes')}
          hint={t('recoveryCodesHint')}
          secret={codes.join('\n')}
          copyLabel={t('copyCodes')}
          doneLabel={t('stored')}
          onClose={() => setCodes(undefined)}
        />
      )}
    </Panel>
  );
}
