import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { optional, TypedField, wholeNumbers } from '../../components/typed-field.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
import { type TenantDetail, TenantFloorsSetDocument, tenantsKey } from './api.js';

interface FloorsEditProps {
  tenant: TenantDetail;
  onClose: () => void;
  onChanged: (changeId: string | null, title: string) => void;
}

const FLOOR = optional(wholeNumbers(1));

/** The floors of a child, one per limit that its parent shares. */
export function FloorsEdit({ tenant, onClose, onChanged }: FloorsEditProps) {
  const { key, version, sharedLimits } = tenant;
  const unitsOf = (apiKey: string, name: string) =>
    tenant.floors.find((one) => one.apiKey === apiKey && one.limit === name)?.units;
  const [units, setUnits] = useState(() => sharedLimits.map(({ apiKey, name }) => unitsOf(apiKey, name)));
  const floors = sharedLimits.flatMap(({ apiKey, name: limit }, i) => {
    const value = units[i];
    return value === undefined ? [] : [{ apiKey, limit, units: value }];
  });
  const { dialog } = useMutationDialog(TenantFloorsSetDocument, [], tenantsKey);
  return (
    <CreateModal
      title={`Floors of ${tenant.name}`}
      submitLabel="Save floors"
      onClose={onClose}
      {...dialog(
        { tenantKey: key, expectedVersion: version, floors },
        ({ changeId }) => {
          onChanged(changeId, `Floors of ${tenant.name} changed`);
          onClose();
        },
        { tenants: { [key]: { floors: floors.map(({ apiKey, ...floor }) => ({ api: apiKey, ...floor })) } } },
      )}
    >
      {sharedLimits.map(({ apiKey, name, limit }, i) => (
        <TypedField
          key={`${apiKey} ${name}`}
          label={`${name}, ${apiKey}`}
          description={`Of ${formatNumber(limit)}. Neither the parent nor other children use these units.`}
          placeholder="No floor"
          unit={FLOOR}
          value={units[i]}
          onChange={(value) => setUnits(units.with(i, value))}
        />
      ))}
    </CreateModal>
  );
}
