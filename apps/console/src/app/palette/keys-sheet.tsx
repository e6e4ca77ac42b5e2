import { Kbd, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { GO_TO, MOD_KEY } from './keys.js';
import classes from './palette.module.css';

/** What the keyboard does. */
export default function KeysSheet({ onClose }: { onClose: () => void }) {
  const t = useTranslations('keys');
  return (
    <Modal opened onClose={onClose} title={t('title')} size="sm">
      <dl className={classes.keys}>
        <Row label={t('palette')}>
          <Kbd>{MOD_KEY}</Kbd> <Kbd>K</Kbd>
        </Row>
        <Row label={t('filter')}>
          <Kbd>/</Kbd>
        </Row>
        <Row label={t('sheet')}>
          <Kbd>?</Kbd>
        </Row>
        {Object.entries(GO_TO).map(([key, { label }]) => (
          <Row key={key} label={t(label)}>
            <Kbd>g</Kbd> {t('andThen')} <Kbd>{key}</Kbd>
          </Row>
        ))}
      </dl>
    </Modal>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.key}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
