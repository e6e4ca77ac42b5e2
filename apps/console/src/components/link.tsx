import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink, type LinkComponentProps } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, forwardRef } from 'react';

type PlainAnchorProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> & AnchorProps;

const PlainAnchor = forwardRef<HTMLAnchorElement, PlainAnchorProps>((props, ref) => (
  <Anchor ref={ref} {...props} />
));
PlainAnchor.displayName = 'PlainAnchor';

/** A text link to a page of the console. */
export const LinkAnchor = createLink(PlainAnchor);
export type LinkAnchorProps = LinkComponentProps<typeof PlainAnchor>;

type PlainButtonProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> & ButtonProps;

const PlainButton = forwardRef<HTMLAnchorElement, PlainButtonProps>((props, ref) => (
  <Button component="a" ref={ref} {...props} />
));
PlainButton.displayName = 'PlainButton';

/** A link to a page of the console that looks like a button. */
export const LinkButton = createLink(PlainButton);
