import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PATH_GROUPS, pathGroup } from './path-group.js';

describe('path group', () => {
  it.each([
    ['/', 'home'],
    ['/?flav=rss20', 'home'],
    ['/index.html', 'home'],
    ['http://semicomplete.com', 'home'],
    ['/blog', 'blog'],
    ['/blog/tags/puppet?flav=rss20', 'blog'],
    ['/blogroll', 'other'],
    ['/presentations/logstash-1/css/main.css', 'presentations'],
    ['/projects/xdotool/', 'projects'],
    ['/images/jordan-80.png', 'images'],
    ['/image/x.png', 'other'],
    ['/files/logstash/', 'files'],
    ['/articles/dynamic-dns-with-dhcp/', 'articles'],
    ['/style2.css', 'styles'],
    ['/reset.css', 'styles'],
    ['/styles/print', 'styles'],
    ['/favicon.ico', 'other'],
    ['*', 'other'],
    ['example.com:443', 'other'],
  ])('%s is %s', (target, group) => {
    expect(pathGroup(target)).toBe(group);
  });

  it.each([
    ['repeated slashes', '//blog///x', 'blog'],
    ['case', '/BLOG/X', 'blog'],
    ['an encoded letter', '/%62log/', 'blog'],
    ['dots', '/x/../blog/./y', 'blog'],
    ['encoded dots', '/x/%2e%2E/blog/y', 'blog'],
    ['dots above the root', '/../../blog/', 'blog'],
    ['the origin of a proxy request', 'HTTP://semicomplete.com/blog/', 'blog'],
  ])('does not let %s change the group', (_name, target, group) => {
    expect(pathGroup(target)).toBe(group);
  });

  it.each([
    ['an escape that is encoded twice', '/%2562log/'],
    ['an encoded slash', '/%2fblog/'],
    ['an escape cut short', '/%6'],
  ])('leaves %s as it is', (_name, target) => {
    expect(pathGroup(target)).toBe('other');
  });

  it('knows a group for every target, and a query never changes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (target, query) => {
        const group = pathGroup(`/${target}`);
        expect(PATH_GROUPS).toContain(group);
        if (!/[?#]/.test(target)) expect(pathGroup(`/${target}?${query}`)).toBe(group);
      }),
    );
  });
});
