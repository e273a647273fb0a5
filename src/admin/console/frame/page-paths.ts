// Which paths of the console are pages. What only takes a form lies below the page that has the form: that one can be asked
// for again, in the other language or after signing in.

export interface PagePaths {
  /** As the route is written, `/accounts/:id`. */
  add(route: string): void;
  /** The page itself, or the nearest one above what is none. */
  nearest(url: URL): { path: string; query: string };
}

export function createPagePaths(): PagePaths {
  const pages: RegExp[] = [];
  const isPage = (path: string) => path === '/' || pages.some((page) => page.test(path));
  return {
    add: (route) => void pages.push(new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`)),
    nearest({ pathname, search }) {
      if (isPage(pathname)) return { path: pathname, query: search };
      let path = pathname;
      while (!isPage(path)) path = path.slice(0, path.lastIndexOf('/')) || '/';
      return { path, query: '' };
    },
  };
}
