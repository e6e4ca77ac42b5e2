import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './copy-block.module.css';

/** Text to be taken elsewhere: a command or a token. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className={classes.block}>
      <pre className={classes.code}>{text}</pre>
      <CopyButton value={text} timeout={2_000}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : label}>
            <ActionIcon className={classes.copy} onClick={copy} aria-label={copied ? 'Copied' : label}>
              {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  );
}
