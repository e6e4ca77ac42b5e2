import {
  IconActivity,
  IconBuilding,
  IconGitPullRequest,
  IconHelpCircle,
  IconHistory,
  IconHome2,
  IconInbox,
  IconKey,
  IconListCheck,
  IconPlugConnected,
  type IconProps,
  IconServer2,
  IconShieldCheck,
  IconShoppingBag,
  IconStack2,
  IconTag,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Permission } from '../../lib/permissions.js';
import type { shellMessages } from '../messages.js';

type Label = keyof typeof shellMessages;

export interface NavigationEntry {
  label: Label;
  to: NonNullable<LinkProps['to']>;
  icon: ComponentType<IconProps>;
  /** Without it the entry is left out. */
  permission?: Permission;
}

export interface NavigationGroup {
  title: Label | undefined;
  entries: readonly NavigationEntry[];
}

/** The operators' navigation, in its order. */
export const NAVIGATION_GROUPS: readonly NavigationGroup[] = [
  {
    title: undefined,
    entries: [
      { label: 'home', to: '/', icon: IconHome2 },
      { label: 'live', to: '/live', icon: IconActivity, permission: 'live:read' },
    ],
  },
  {
    title: 'policy',
    entries: [
      { label: 'apis', to: '/apis', icon: IconPlugConnected },
      { label: 'tiers', to: '/tiers', icon: IconStack2 },
      { label: 'changeSets', to: '/change-sets', icon: IconGitPullRequest, permission: 'change-sets:read' },
    ],
  },
  {
    title: 'customers',
    entries: [
      { label: 'tenants', to: '/tenants', icon: IconBuilding },
      { label: 'why', to: '/why', icon: IconHelpCircle, permission: 'usage:read' },
    ],
  },
  {
    title: 'commerce',
    entries: [
      { label: 'offers', to: '/offers', icon: IconTag, permission: 'offers:read' },
      { label: 'purchases', to: '/purchases', icon: IconShoppingBag, permission: 'purchases:read' },
      { label: 'quotaRequests', to: '/quota-requests', icon: IconInbox, permission: 'quota-requests:read' },
    ],
  },
  {
    title: 'operations',
    entries: [
      { label: 'nodes', to: '/nodes', icon: IconServer2, permission: 'nodes:read' },
      { label: 'revisions', to: '/revisions', icon: IconHistory, permission: 'nodes:read' },
      { label: 'audit', to: '/audit', icon: IconShieldCheck, permission: 'audit:read' },
      { label: 'webhooks', to: '/webhooks', icon: IconWebhook, permission: 'webhooks:read' },
      { label: 'jobs', to: '/jobs', icon: IconListCheck, permission: 'jobs:write' },
    ],
  },
  {
    title: 'access',
    entries: [
      { label: 'team', to: '/team', icon: IconUsers, permission: 'operators:read' },
      { label: 'serviceTokens', to: '/service-tokens', icon: IconKey, permission: 'service-tokens:read' },
    ],
  },
];
