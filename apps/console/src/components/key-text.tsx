import { Text, type TextProps } from '@mantine/core';

/** A key, name or id as machines know it. */
export function KeyText({ children, ...props }: TextProps & { children: string; title?: string }) {
  return (
    <Text span ff="monospace" fz="0.92em" {...props}>
      {children}
    </Text>
  );
}
