import { Kbd, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { GO_TO, MOD_KEY } from './keys.js';
import classes from './palette.module.css';

export default function KeysSheet({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="sm">
      <Stack component="dl" gap={0} m={0} fz="sm">
        <Row label="Search and commands">
          <Kbd>{MOD_KEY}</Kbd> <Kbd>K</Kbd>
        </Row>
        <Row label="Focus the first filter">
          <Kbd>/</Kbd>
        </Row>
        <Row label="Show keyboard shortcuts">
          <Kbd>?</Kbd>
        </Row>
        {Object.entries(GO_TO).map(([key, { label }]) => (
          <Row key={key} label={label}>
            <Kbd>g</Kbd> then <Kbd>{key}</Kbd>
          </Row>
        ))}
      </Stack>
    </Modal>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.key}>
      <dt>{label}</dt>
      <dd className="tg-soft tg-nowrap" style={{ margin: 0 }}>
        {children}
      </dd>
    </div>
  );
}
