import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * Runs the action that the address asks for, such as `?do=suspend` from the palette, and removes it from the address.
 * @param names actions that the component knows; it ignores others
 */
export function useRequestedAction<Name extends string>(
  names: readonly Name[],
  onRequested: (name: Name) => void,
): void {
  const { do: requested } = useSearch({ strict: false }) as { do?: unknown };
  const navigate = useNavigate();
  useEffect(() => {
    const name = names.find((one) => one === requested);
    if (name === undefined) return;
    onRequested(name);
    const withoutAction = ({ do: _, ...search }: { do?: unknown }) => search;
    void navigate({ to: '.', search: withoutAction as never, replace: true, resetScroll: false });
  }, [requested]);
}
