// The content of a page, and the options for its title, navigation, scripts, frame and search results.
import type { IslandName } from '../assets/read-assets.ts';
import type { Html } from '../html/html.ts';

export type Page = {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Metadata for search engines and link previews. Without it the page is marked `noindex`. */
  readonly about?: About;
  /** The current entry of the navigation. */
  readonly place?: 'home' | 'search' | 'dashboard';
  /** The content of the search field. */
  readonly query?: string;
  /** The theme that the owner chose for this page. */
  readonly theme?: 'light' | 'dark' | 'auto';
  /** `#rrggbb`. */
  readonly accent?: string | null;
  readonly islands?: readonly IslandName[];
  /** The game that the page may frame: its address, and whether it needs cross-origin isolation. */
  readonly frame?: { readonly url: string; readonly isolated: boolean };
  /** Set for the owner's preview of a public page: shown without the session, and this site may frame it. */
  readonly isPreview?: true;
  /** Set for a page that frames previews of this site. */
  readonly framesOwn?: true;
  /** The address of its feed without the end: `.xml` is RSS, `.atom` Atom. */
  readonly feed?: { readonly base: string; readonly title: string };
  readonly headers?: Readonly<Record<string, string>>;
};

/** Metadata of a page. `image` is an absolute address. */
type About = {
  readonly description: string;
  readonly path: string;
  readonly image?: string | null;
  readonly structured?: unknown;
};
