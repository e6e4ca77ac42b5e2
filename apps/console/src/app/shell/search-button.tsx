import { Kbd, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { MOD_KEY } from '../palette/keys.js';
import classes from './console-shell.module.css';

/** Opens the command palette by hand. */
export function SearchButton({ onOpen }: { onOpen: () => void }) {
  return (
    <UnstyledButton className={classes.search} onClick={onOpen}>
      <IconSearch size={15} stroke={1.8} aria-hidden />
      <span style={{ flex: 1 }}>Search</span>
      <Kbd size="xs" aria-hidden>
        {MOD_KEY} K
      </Kbd>
    </UnstyledButton>
  );
}
