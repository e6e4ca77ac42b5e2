import { Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { effectOf } from '../../../lib/effect-input.js';
import { formatNumber } from '../../../lib/number-format.js';
import { type AdjustmentDraft, type AdjustmentMaking, endOf } from '../adjustment-draft.js';
import { type AdjustedTenant, adjustmentPreviewQuery } from '../api/adjustment-make.js';
import classes from './adjustments.module.css';

/** A limit as it is. */
export interface LimitNow {
  apiKey: string;
  limitName: string;
  limit: number;
}

interface AdjustmentPreviewProps {
  making: AdjustmentMaking;
  tenant: AdjustedTenant;
  draft: AdjustmentDraft;
  limits: readonly LimitNow[];
}

/** What a draft would make of the limits, as the server finds by trying it. */
export function AdjustmentPreview({ making, tenant, draft, limits }: AdjustmentPreviewProps) {
  const end = endOf(draft, Date.now());
  const isReadable =
    effectOf(draft) !== undefined && end !== undefined && (making !== 'boost' || end !== null);
  const { data } = useQuery({
    ...adjustmentPreviewQuery({ making, tenant, draft: { ...draft, reason: '', label: '' } }, isReadable),
    placeholderData: keepPreviousData,
  });
  const errors = data?.userErrors ?? [];
  const changed = (data?.preview ?? []).flatMap(({ apiKey, limitName, limit }) => {
    const now = limits.find((one) => one.apiKey === apiKey && one.limitName === limitName);
    return now === undefined || now.limit === limit ? [] : [{ ...now, to: limit }];
  });
  return (
    <div className={classes.preview} aria-live="polite">
      <Text size="xs" c="dimmed" fw={500}>
        Preview
      </Text>
      {!isReadable && <Text size="sm">Fill in the fields to preview the limits.</Text>}
      {isReadable && errors.length > 0 && (
        <Text size="sm" c="var(--mantine-color-error)">
          {errors.map(({ message }) => message).join(' ')}
        </Text>
      )}
      {isReadable && data && errors.length === 0 && changed.length === 0 && (
        <Text size="sm">No limits change.</Text>
      )}
      {isReadable && changed.length > 0 && (
        <ul className={classes.previewList}>
          {changed.map(({ apiKey, limitName, limit, to }) => (
            <li key={`${apiKey}/${limitName}`}>
              <span>
                {limitName} <span className={classes.soft}>{apiKey}</span>
              </span>
              <span className="tg-number">
                {formatNumber(limit)} <IconArrowRight size={13} aria-hidden />{' '}
                <strong>{formatNumber(to)}</strong>
              </span>
            </li>
          ))}
        </ul>
      )}
      {isReadable &&
        data?.warnings.map((warning) => (
          <Text key={warning} size="sm" c="var(--mantine-color-ochre-7)">
            {warning}
          </Text>
        ))}
    </div>
  );
}
