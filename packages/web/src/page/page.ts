// The content of a page, and the options for its title, navigation, scripts, frame and search results.
import type { IslandName } from '../assets/read-assets.ts';
import type { Html } from '../html/html.ts';

export type Page = {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** For search engines and previews; without it the page is not to be listed. */
  readonly about?: About;
  /** Which entry of the navigation is this. */
  readonly place?: 'home' | 'search' | 'dashboard';
  /** Words in the search field. */
  readonly query?: string;
  /** The owner's wish for this page. */
  readonly theme?: 'light' | 'dark' | 'auto';
  /** `#rrggbb`. */
  readonly accent?: string | null;
  readonly islands?: readonly IslandName[];
  /** The game that the page may frame: its address, and whether it must be isolated. */
  readonly frame?: { readonly url: string; readonly isolated: boolean };
  /** The owner's preview of a public page: as a stranger sees it, and our own pages may frame it. */
  readonly isPreview?: true;
  /** Whether the page frames our own previews. */
  readonly framesOwn?: true;
  readonly feed?: { readonly href: string; readonly title: string };
  readonly headers?: Readonly<Record<string, string>>;
};

/** What others are told of a page. Addresses are absolute. */
export type About = {
  readonly description: string;
  readonly path: string;
  readonly image?: string | null;
  readonly structured?: unknown;
};
