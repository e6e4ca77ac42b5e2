import { useQuery } from '@tanstack/react-query';
import { NoticeBell } from '../../features/notices/notice-bell.js';
import { viewerQuery } from '../../lib/viewer.js';
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
        />
      )}
    </PaletteHost>
  );
}
