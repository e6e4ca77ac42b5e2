import { SegmentedControl, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';

const SCHEMES = [
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
  { value: 'auto', label: 'As the system', Icon: IconDeviceDesktop },
] as const;

/** Light, dark, or whatever the system says. */
export function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label="Color scheme"
      value={colorScheme}
      onChange={setColorScheme}
      data={SCHEMES.map(({ value, label, Icon }) => ({
        value,
        label: (
          <span title={label} style={{ display: 'grid', placeItems: 'center', height: 18 }}>
            <Icon size={15} aria-hidden />
            <VisuallyHidden>{label}</VisuallyHidden>
          </span>
        ),
      }))}
    />
  );
}
