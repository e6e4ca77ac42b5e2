import { ActionIcon, Collapse, Text, Tooltip } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconTrash } from '@tabler/icons-react';
import type { LimitPolicy } from '@tollgate/contracts';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import { useId, useState } from 'react';
import { ruleOf, withRule } from '../../../lib/limit-fields.js';
import type { ApiChoice } from '../api/tier.js';
import type { LintFinding } from '../api/tier-lint.js';
import type { LimitRow, RowErrors } from '../limit-edits.js';
import { LimitForm } from './limit-form.js';
import { LimitPicture } from './limit-picture.js';
import { RateInput } from './rate-input.js';
import { RowFindings } from './row-findings.js';
import classes from './tiers.module.css';

/** The inputs of a row that may hold text that cannot be read. */
export type TypedInput = 'rate' | 'candidate';

interface LimitRowItemProps {
  row: LimitRow;
  apis: readonly ApiChoice[];
  errors: RowErrors | undefined;
  changed: boolean;
  /** Of the limit as it is stored. */
  findings: readonly LintFinding[];
  editable: boolean;
  /** Opens the details at once: for a limit that has just been added. */
  startsOpen: boolean;
  onChange: (policy: LimitPolicy) => void;
  onReadable: (input: TypedInput, readable: boolean) => void;
  onRemove: () => void;
}

/** One limit: its rate to be changed in place, the rest behind the details button. */
export function LimitRowItem(props: LimitRowItemProps) {
  const { row, apis, errors, changed, findings, editable, startsOpen, onChange, onReadable, onRemove } =
    props;
  const { policy, summary } = row;
  const [wantsOpen, setWantsOpen] = useState(startsOpen);
  const formId = useId();
  const what = policy.operations.length === 0 ? 'all operations' : policy.operations.join(', ');
  const named = `${policy.name} of ${policy.api}`;
  // Messages on hidden fields would never be found.
  const open = wantsOpen || hasHiddenErrors(errors);
  return (
    <li className={classes.row} data-changed={changed || undefined}>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <span className={classes.operations}>{what}</span>
          <span className={classes.name}>{policy.name}</span>
        </div>
        <div className={classes.rowRate}>
          <RateInput
            rule={ruleOf(policy)}
            onRule={(rule) => onChange(withRule(policy, rule))}
            onReadable={(readable) => onReadable('rate', readable)}
            error={errors?.limit ?? errors?.windowMs}
            aria-label={`Rate of ${named}`}
            size="xs"
            disabled={!editable}
            classNames={{ input: classes.rateInput ?? '' }}
          />
        </div>
        <div className={classes.sentence}>{summary ?? summarizeLimit(policy)}</div>
        <div className={classes.rowActions}>
          <Tooltip label={open ? 'Hide details' : 'Show details'}>
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
          <Tooltip label="Remove limit">
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
      <RowFindings findings={findings} />
      <Collapse expanded={open} id={formId}>
        <LimitPicture policy={policy} />
        <LimitForm
          policy={policy}
          apis={apis}
          errors={errors}
          editable={editable}
          onChange={onChange}
          onReadable={(readable) => onReadable('candidate', readable)}
        />
      </Collapse>
    </li>
  );
}

function hasHiddenErrors(errors: RowErrors | undefined): boolean {
  return Object.keys(errors ?? {}).some((field) => !['limit', 'windowMs', 'row'].includes(field));
}
