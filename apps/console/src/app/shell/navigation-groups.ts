import {
  IconActivity,
  IconBuilding,
  IconBuildingStore,
  IconGitPullRequest,
  IconHelpCircle,
  IconHistory,
  IconHome2,
  IconInbox,
  IconKey,
  IconListCheck,
  IconPlugConnected,
  IconServer2,
  IconShieldCheck,
  IconShoppingBag,
  IconStack2,
  IconTag,
  IconUserShield,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { NavigationGroup } from './frame.js';

export const NAVIGATION_GROUPS: ReadonlyArray<NavigationGroup<NonNullable<LinkProps['to']>>> = [
  {
    entries: [
      { label: 'Home', to: '/', icon: IconHome2 },
      { label: 'Live', to: '/live', icon: IconActivity, permission: 'live:read' },
    ],
  },
  {
    title: 'Policy',
    entries: [
      { label: 'APIs', to: '/apis', icon: IconPlugConnected },
      { label: 'Tiers', to: '/tiers', icon: IconStack2 },
      {
        label: 'Subject rules',
        to: '/subject-rules',
        icon: IconUserShield,
        permission: 'entitlements:read',
      },
      { label: 'Change sets', to: '/change-sets', icon: IconGitPullRequest, permission: 'change-sets:read' },
    ],
  },
  {
    title: 'Customers',
    entries: [
      { label: 'Tenants', to: '/tenants', icon: IconBuilding },
      { label: 'Why?', to: '/why', icon: IconHelpCircle, permission: 'usage:read' },
    ],
  },
  {
    title: 'Commerce',
    entries: [
      { label: 'Offers', to: '/offers', icon: IconTag, permission: 'offers:read' },
      { label: 'Purchases', to: '/purchases', icon: IconShoppingBag, permission: 'purchases:read' },
      { label: 'Requests', to: '/quota-requests', icon: IconInbox, permission: 'quota-requests:read' },
    ],
  },
  {
    title: 'Operations',
    entries: [
      { label: 'Nodes', to: '/nodes', icon: IconServer2, permission: 'nodes:read' },
      { label: 'Revisions', to: '/revisions', icon: IconHistory, permission: 'nodes:read' },
      { label: 'Audit trail', to: '/audit', icon: IconShieldCheck, permission: 'audit:read' },
      { label: 'Webhooks', to: '/webhooks', icon: IconWebhook, permission: 'webhooks:read' },
      { label: 'Jobs', to: '/jobs', icon: IconListCheck, permission: 'jobs:read' },
    ],
  },
  {
    title: 'Access',
    entries: [
      { label: 'Team', to: '/team', icon: IconUsers, permission: 'operators:read' },
      { label: 'Service tokens', to: '/service-tokens', icon: IconKey, permission: 'service-tokens:read' },
      {
        label: 'Company and brand',
        to: '/settings',
        icon: IconBuildingStore,
        permission: 'installation:read',
      },
    ],
  },
];
