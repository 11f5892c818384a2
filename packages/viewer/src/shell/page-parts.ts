// The parts of the page that depend on its host. A page without an agent lacks the optional ones.
import type { ComponentType } from 'preact';
import type { Derived } from '../views/analysis/analysis-state.ts';

export type PageParts = {
  /** The page without a trace. */
  readonly Welcome: ComponentType;
  /** Buttons in the bar. */
  readonly Actions?: ComponentType | undefined;
  /** Messages below the bar. */
  readonly Banner?: ComponentType;
  /** Dialogs of the actions. */
  readonly Dialogs?: ComponentType;
  /** What follows the findings of the analysis; `shown` is null before them. */
  readonly AfterFindings?: ComponentType<{ readonly shown: Derived | null }>;
};
