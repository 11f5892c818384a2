/** Paths of the files. */
export type SiteFiles = {
  /** The style sheets in their order. */
  readonly sheets: readonly string[];
  readonly icon: string;
  /** The folder with the built islands and their manifest. */
  readonly islands: string;
};
/** The folder of the files beside a bundle. */
export declare const SITE_FOLDER = 'site';
export declare function findSiteFiles(): SiteFiles;
