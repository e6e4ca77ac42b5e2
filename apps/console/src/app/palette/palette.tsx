import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconArrowRight, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { viewerQuery } from '../../lib/viewer.js';
import { NAVIGATION_GROUPS } from '../shell/navigation-groups.js';
import { type Found, kindOfQuery, paletteNodeQuery, paletteSearchQuery } from './search-everything.js';

const [store, spotlight] = createSpotlight();
const TYPING_MS = 150;

interface PaletteProps {
  onClose: () => void;
  onSheet: () => void;
}

/** Finds pages, tenants, APIs, tiers and anything by its id, and runs what needs no page. */
export default function Palette({ onClose, onSheet }: PaletteProps) {
  const t = useTranslations('palette');
  const router = useRouter();
  const [query, setQuery] = useState('');
  const [settled] = useDebouncedValue(query.trim(), TYPING_MS);
  useEffect(() => spotlight.open(), []);
  const go = (href: string) => {
    spotlight.close();
    router.history.push(href);
  };
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      scrollable
      maxHeight={440}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      attributes={{ content: { 'aria-label': t('label') } }}
    >
      <Spotlight.Search
        placeholder={t('placeholder')}
        aria-label={t('label')}
        leftSection={<IconSearch size={17} stroke={1.7} aria-hidden />}
      />
      <Spotlight.ActionsList>
        <Results text={query.trim()} settled={settled} go={go} onSheet={onSheet} />
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** The list marks its first entry when something is typed; what is found arrives later, and Enter is to take that. */
function markFirst(): void {
  const list = document.getElementById(store.getState().listId);
  if (list === null || list.querySelector('[data-selected]') !== null) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

interface ResultsProps {
  text: string;
  settled: string;
  go: (href: string) => void;
  onSheet: () => void;
}

function Results({ text, settled, go, onSheet }: ResultsProps) {
  const t = useTranslations('palette');
  const kind = kindOfQuery(settled);
  const search = useQuery({ ...paletteSearchQuery(settled), enabled: settled !== '' && kind === 'words' });
  const node = useQuery({ ...paletteNodeQuery(settled), enabled: kind === 'id' });
  const pages = usePages(text);
  const actions = useActions(text, onSheet);
  const found = (list: readonly Found[] = []) =>
    list.map(({ label, hint, href }) => (
      <Spotlight.Action key={href} label={label} description={hint} onClick={() => go(href)} />
    ));
  const { tenants = [], policy = [] } = (kind === 'words' && settled !== '' && search.data) || {};
  const byId = kind === 'id' ? node.data : undefined;
  useEffect(markFirst, [byId, search.data]);
  const isEmpty =
    kind === 'words' &&
    pages.length + actions.length + tenants.length + policy.length === 0 &&
    !search.isFetching;
  return (
    <>
      {kind === 'why' && (
        <Spotlight.Action
          label={t('why')}
          description={t('whyHint')}
          onClick={() => go(`/why?${new URLSearchParams({ q: settled })}`)}
        />
      )}
      {byId && <Spotlight.ActionsGroup label={t('found')}>{found([byId])}</Spotlight.ActionsGroup>}
      {byId === null && <Spotlight.Empty>{t('unknownId')}</Spotlight.Empty>}
      {pages.length > 0 && (
        <Spotlight.ActionsGroup label={t('pages')}>
          {pages.map(({ label, to, icon: Icon }) => (
            <Spotlight.Action
              key={to}
              label={label}
              leftSection={<Icon size={17} stroke={1.7} aria-hidden />}
              onClick={() => go(to)}
            />
          ))}
        </Spotlight.ActionsGroup>
      )}
      {tenants.length > 0 && (
        <Spotlight.ActionsGroup label={t('tenants')}>{found(tenants)}</Spotlight.ActionsGroup>
      )}
      {policy.length > 0 && (
        <Spotlight.ActionsGroup label={t('policy')}>{found(policy)}</Spotlight.ActionsGroup>
      )}
      {actions.length > 0 && (
        <Spotlight.ActionsGroup label={t('actions')}>
          {actions.map(({ label, run }) => (
            <Spotlight.Action
              key={label}
              label={label}
              leftSection={<IconArrowRight size={17} stroke={1.7} aria-hidden />}
              onClick={run}
            />
          ))}
        </Spotlight.ActionsGroup>
      )}
      {isEmpty && <Spotlight.Empty>{t('nothing')}</Spotlight.Empty>}
    </>
  );
}

/** Pages that the viewer's role may see and that the text names. */
function usePages(text: string) {
  const t = useTranslations('shell');
  const { data: viewer } = useQuery(viewerQuery);
  return NAVIGATION_GROUPS.flatMap(({ entries }) => entries)
    .filter(({ permission }) => permission === undefined || viewer?.permissions.includes(permission))
    .map(({ label, to, icon }) => ({ label: t(label), to: String(to), icon }))
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
}

function useActions(text: string, onSheet: () => void) {
  const t = useTranslations('palette');
  const { toggleColorScheme } = useMantineColorScheme();
  const done = (run: () => void) => () => {
    spotlight.close();
    run();
  };
  return [
    { label: t('keyboard'), run: onSheet },
    { label: t('toggleScheme'), run: done(toggleColorScheme) },
    { label: t('explorer'), run: done(() => window.location.assign('/graphql/explorer')) },
  ].filter(({ label }) => text === '' || label.toLowerCase().includes(text.toLowerCase()));
}
