import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { PageSkeleton } from '../../components/page.js';
import { NoticeBell } from '../../features/notices/notice-bell.js';
import { rememberedPermissions, viewerQuery } from '../../lib/viewer.js';
import { PaletteHost } from '../palette/palette-host.js';
import { Frame, SearchButton } from './frame.js';
import { NAVIGATION_GROUPS } from './navigation-groups.js';

export function ConsoleShell() {
  const { data: viewer } = useQuery(viewerQuery);
  return (
    <PaletteHost>
      {(openPalette) => (
        <Frame
          home={{ to: '/' }}
          beside={<NoticeBell />}
          search={<SearchButton onOpen={openPalette} />}
          groups={NAVIGATION_GROUPS}
          permissions={new Set(viewer?.permissions)}
        >
          <Outlet />
        </Frame>
      )}
    </PaletteHost>
  );
}

/** The shell while the viewer loads, with the navigation that this browser showed last. */
export function PendingShell() {
  const permissions = rememberedPermissions();
  return (
    <Frame
      home={{ to: '/' }}
      search={<SearchButton onOpen={() => undefined} />}
      groups={permissions.size === 0 ? [] : NAVIGATION_GROUPS}
      permissions={permissions}
    >
      <PageSkeleton />
    </Frame>
  );
}
