import { Button, Collapse, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyBlock } from '../../../components/copy-block.js';
import { KeyText } from '../../../components/key-text.js';
import { formatNumber } from '../../../lib/number-format.js';
import type { ChangeSetDetail } from '../api/change-set.js';
import classes from './change-sets.module.css';

interface ChangeSetItemsProps {
  items: ChangeSetDetail['items'];
  /** Left out while the set cannot be edited. */
  onRemove: ((itemId: string) => void) | undefined;
}

/** The changes of a set in their order, each with what its mutation is given. */
export function ChangeSetItems({ items, onRemove }: ChangeSetItemsProps) {
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed" p="md">
        No changes yet. Edit a tier, an operation or a pool, and choose “Add to change set” in the review.
      </Text>
    );
  }
  return (
    <ol className={classes.items}>
      {items.map((item, i) => (
        <Item key={item.id} item={item} number={i + 1} onRemove={onRemove} />
      ))}
    </ol>
  );
}

interface ItemProps {
  item: ChangeSetDetail['items'][number];
  number: number;
  onRemove: ChangeSetItemsProps['onRemove'];
}

function Item({ item, number, onRemove }: ItemProps) {
  const [open, setOpen] = useState(false);
  return (
    <li className={classes.item}>
      <div className={classes.itemLine}>
        <span className={classes.itemNumber}>{number}</span>
        <KeyText>{item.command}</KeyText>
        <Text span size="sm" c="dimmed">
          {target(item.input)}
        </Text>
        <span className={classes.itemActions}>
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            Input
          </Button>
          {onRemove && (
            <Button
              variant="subtle"
              color="ember"
              size="compact-xs"
              aria-label={`Remove change ${formatNumber(number)}`}
              onClick={() => onRemove(item.id)}
            >
              Remove
            </Button>
          )}
        </span>
      </div>
      <Collapse expanded={open}>
        <div style={{ paddingTop: 8 }}>
          <CopyBlock text={JSON.stringify(item.input, null, 2)} label="Input" />
        </div>
      </Collapse>
    </li>
  );
}

/** What a change is about: the keys that its input names. */
function target(input: unknown): string {
  const { tierKey, apiKey, tenantKey, name } = (input ?? {}) as Record<string, unknown>;
  return [tenantKey, tierKey, apiKey, name].filter((part) => typeof part === 'string').join(' / ');
}
