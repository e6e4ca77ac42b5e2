import { ActionIcon, Collapse, Text, Tooltip } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconTrash } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { limitSentence } from '../../../lib/limit-sentence.js';
import type { LimitSpec } from '../../../lib/limit-spec.js';
import type { ApiChoice } from '../api/tier.js';
import type { LimitRow, RowErrors } from '../limit-edits.js';
import { LimitForm } from './limit-form.js';
import { RateInput } from './rate-input.js';
import classes from './tiers.module.css';

interface LimitRowItemProps {
  row: LimitRow;
  apis: readonly ApiChoice[];
  errors: RowErrors | undefined;
  changed: boolean;
  editable: boolean;
  /** Opens the details at once: for a limit that has just been added. */
  startsOpen: boolean;
  onChange: (change: Partial<LimitSpec>) => void;
  onReadable: (readable: boolean) => void;
  onRemove: () => void;
}

/** One limit: its rate to be changed in place, the rest behind the details button. */
export function LimitRowItem(props: LimitRowItemProps) {
  const { row, apis, errors, changed, editable, startsOpen, onChange, onReadable, onRemove } = props;
  const [wantsOpen, setWantsOpen] = useState(startsOpen);
  const formId = useId();
  const what = row.operations.length === 0 ? 'all operations' : row.operations.join(', ');
  const named = `${row.name} of ${row.apiKey}`;
  // Messages on hidden fields would never be found.
  const open = wantsOpen || hasHiddenErrors(errors);
  return (
    <li className={classes.row} data-changed={changed || undefined}>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <span className={classes.operations}>{what}</span>
          <span className={classes.name}>{row.name}</span>
        </div>
        <div className={classes.rowRate}>
          <RateInput
            rate={row}
            onRate={onChange}
            onReadable={onReadable}
            error={errors?.limit ?? errors?.windowMs}
            aria-label={`Rate of ${named}`}
            size="xs"
            disabled={!editable}
            classNames={{ input: classes.rateInput ?? '' }}
          />
        </div>
        <div className={classes.sentence}>{row.summary ?? limitSentence(row)}</div>
        <div className={classes.rowActions}>
          <Tooltip label={open ? 'Hide details' : 'Algorithm, dimensions and more'}>
            <ActionIcon
              onClick={() => setWantsOpen(!open)}
              aria-expanded={open}
              aria-controls={formId}
              aria-label={`Details of ${named}`}
              size="lg"
            >
              <IconAdjustmentsHorizontal size={17} stroke={1.7} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Remove this limit">
            <ActionIcon onClick={onRemove} disabled={!editable} aria-label={`Remove ${named}`} size="lg">
              <IconTrash size={17} stroke={1.7} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </div>
      </div>
      {errors?.row && (
        <Text c="var(--mantine-color-error)" size="sm" px="md" pb="sm" role="alert">
          {errors.row}
        </Text>
      )}
      <Collapse expanded={open} id={formId}>
        <LimitForm row={row} apis={apis} errors={errors} editable={editable} onChange={onChange} />
      </Collapse>
    </li>
  );
}

function hasHiddenErrors(errors: RowErrors | undefined): boolean {
  return Object.keys(errors ?? {}).some((field) => !['limit', 'windowMs', 'row'].includes(field));
}
