import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconArrowRight, IconBolt, IconHistory, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { viewerQuery } from '../../lib/viewer.js';
import { NAVIGATION_GROUPS } from '../shell/navigation-groups.js';
import { recentObjects } from './recent-objects.js';
import { type Found, kindOfQuery, paletteNodeQuery, paletteSearchQuery } from './search-everything.js';
import { readVerb, VERBS, type Verb } from './verbs.js';

const [store, spotlight] = createSpotlight();
const TYPING_MS = 150;

interface PaletteProps {
  onClose: () => void;
  onSheet: () => void;
}

export default function Palette({ onClose, onSheet }: PaletteProps) {
  const router = useRouter();
  const [query, setQuery] = useState('');
  const [debounced] = useDebouncedValue(query.trim(), TYPING_MS);
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
      attributes={{ content: { 'aria-label': 'Search and commands' } }}
    >
      <Spotlight.Search
        placeholder="Search, paste an ID or key, or type an action such as “boost acme”"
        aria-label="Search and commands"
        leftSection={<IconSearch size={17} stroke={1.7} aria-hidden />}
      />
      <Spotlight.ActionsList>
        <Content query={query} debounced={debounced} go={go} onQuery={setQuery} onSheet={onSheet} />
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** Selects the first entry when late results replace the list, so that Enter opens it. */
function markFirst(): void {
  const list = document.getElementById(store.getState().listId);
  if (list === null || list.querySelector('[data-selected]') !== null) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

interface ContentProps {
  query: string;
  debounced: string;
  go: (href: string) => void;
  onQuery: (query: string) => void;
  onSheet: () => void;
}

function Content({ query, ...props }: ContentProps) {
  const { data: viewer } = useQuery(viewerQuery);
  const verbs = VERBS.filter(({ permission }) => viewer?.permissions.includes(permission));
  const typed = readVerb(query, verbs);
  if (typed) return <Objects {...typed} go={props.go} />;
  return <Results {...props} text={query.trim()} verbs={verbs} />;
}

/** The objects that a typed verb may act on: those that match, or the last ones visited. */
function Objects({ verb, rest, go }: { verb: Verb; rest: string; go: (href: string) => void }) {
  const [debounced] = useDebouncedValue(rest, TYPING_MS);
  const { data, isFetching } = useQuery(paletteSearchQuery(debounced, verb.status));
  const found = (verb.object === 'tenant' ? data?.tenants : data?.tiers) ?? [];
  const recent = recentObjects().map(({ href }) => href);
  const placeOf = (href: string) => (recent.includes(href) ? recent.indexOf(href) : recent.length);
  const objects = found
    .filter(verb.appliesTo ?? (() => true))
    .sort((a, b) => (debounced === '' ? placeOf(a.href) - placeOf(b.href) : 0));
  useEffect(markFirst, [data]);
  return (
    <>
      <Spotlight.ActionsGroup label={verb.title}>
        {objects.map(({ key, label }) => (
          <Spotlight.Action
            key={key}
            label={`${verb.label} ${label}`}
            description={key}
            leftSection={<IconBolt size={17} stroke={1.7} aria-hidden />}
            onClick={() => go(verb.page(key))}
          />
        ))}
        {verb.labelOfText && rest !== '' && (
          <Spotlight.Action label={verb.labelOfText(rest)} onClick={() => go(verb.page(rest))} />
        )}
      </Spotlight.ActionsGroup>
      {objects.length === 0 && !isFetching && !verb.labelOfText && (
        <Spotlight.Empty>{`No ${verb.object} to ${verb.name} matches`}</Spotlight.Empty>
      )}
    </>
  );
}

interface ResultsProps extends Omit<ContentProps, 'query'> {
  text: string;
  verbs: readonly Verb[];
}

function Results({ text, debounced, verbs, go, onQuery, onSheet }: ResultsProps) {
  const kind = kindOfQuery(debounced);
  const search = useQuery({
    ...paletteSearchQuery(debounced),
    enabled: debounced !== '' && kind === 'words',
  });
  const node = useQuery({ ...paletteNodeQuery(debounced), enabled: kind === 'id' });
  const pages = usePages(text);
  const actions = useActions(text, onSheet);
  const found = (list: readonly Found[] = []) =>
    list.map(({ label, hint, href }) => (
      <Spotlight.Action key={href} label={label} description={hint} onClick={() => go(href)} />
    ));
  const { tenants = [], apis = [], tiers = [] } = (kind === 'words' && debounced !== '' && search.data) || {};
  const policy = [...apis, ...tiers];
  const recent = text === '' ? recentObjects() : [];
  const typed = text.toLowerCase();
  const matching = verbs.filter(({ name, title }) =>
    [name, title.toLowerCase()].some((one) => one.startsWith(typed)),
  );
  const byId = kind === 'id' ? node.data : undefined;
  useEffect(markFirst, [byId, search.data]);
  const isEmpty =
    kind === 'words' &&
    pages.length + actions.length + matching.length + tenants.length + policy.length === 0 &&
    !search.isFetching;
  return (
    <>
      {kind === 'why' && (
        <Spotlight.Action
          label="Explain this decision"
          description="Look up the decision for this request ID or key"
          onClick={() => go(`/why?${new URLSearchParams({ q: debounced })}`)}
        />
      )}
      {byId && <Spotlight.ActionsGroup label="ID match">{found([byId])}</Spotlight.ActionsGroup>}
      {byId === null && <Spotlight.Empty>No match, or your role may not read it</Spotlight.Empty>}
      {recent.length > 0 && (
        <Spotlight.ActionsGroup label="Recent">
          {recent.map(({ href, label, hint }) => (
            <Spotlight.Action
              key={href}
              label={label}
              description={hint}
              leftSection={<IconHistory size={17} stroke={1.7} aria-hidden />}
              onClick={() => go(href)}
            />
          ))}
        </Spotlight.ActionsGroup>
      )}
      {actions.length + matching.length > 0 && (
        <Spotlight.ActionsGroup label="Actions">
          {matching.map(({ name, title }) => (
            <Spotlight.Action
              key={name}
              label={title}
              description={`${name} …`}
              leftSection={<IconBolt size={17} stroke={1.7} aria-hidden />}
              closeSpotlightOnTrigger={false}
              onClick={() => onQuery(`${name} `)}
            />
          ))}
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
      {pages.length > 0 && (
        <Spotlight.ActionsGroup label="Pages">
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
        <Spotlight.ActionsGroup label="Tenants">{found(tenants)}</Spotlight.ActionsGroup>
      )}
      {policy.length > 0 && (
        <Spotlight.ActionsGroup label="APIs and tiers">{found(policy)}</Spotlight.ActionsGroup>
      )}
      {isEmpty && <Spotlight.Empty>No results</Spotlight.Empty>}
    </>
  );
}

/** Pages that match the text, filtered by permission. */
function usePages(text: string) {
  const { data: viewer } = useQuery(viewerQuery);
  return NAVIGATION_GROUPS.flatMap(({ entries }) => entries)
    .filter(({ permission }) => permission === undefined || viewer?.permissions.includes(permission))
    .map(({ label, to, icon }) => ({ label, to: String(to), icon }))
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
}

function useActions(text: string, onSheet: () => void) {
  const { toggleColorScheme } = useMantineColorScheme();
  const done = (run: () => void) => () => {
    spotlight.close();
    run();
  };
  return [
    { label: 'Show keyboard shortcuts', run: onSheet },
    { label: 'Switch between light and dark', run: done(toggleColorScheme) },
    { label: 'Open the GraphQL explorer', run: done(() => window.location.assign('/graphql/explorer')) },
  ].filter(({ label }) => text === '' || label.toLowerCase().includes(text.toLowerCase()));
}
