import type { LimitPolicy } from '@tollgate/contracts';
import type { ApiChoice } from '../api/tier.js';
import type { RowErrors } from '../limit-edits.js';

/** What every part of the form of one limit gets. */
export interface LimitFormProps {
  policy: LimitPolicy;
  apis: readonly ApiChoice[];
  errors: RowErrors | undefined;
  editable: boolean;
  onChange: (policy: LimitPolicy) => void;
  /** Told whether the candidate's rate can be read as typed. */
  onReadable: (readable: boolean) => void;
}
