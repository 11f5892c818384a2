// What a view passes to a flame graph.
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { SceneRequest } from './derive/scene-request.ts';
import type { BoxInfo, FlameInfo } from './draw/flame-info.ts';

export type FlameProps = {
  /** Names the canvas. Unique on the page. */
  readonly name: string;
  readonly label: string;
  readonly scene: SceneRequest;
  /** Increases when the same scene must be requested again. */
  readonly revision: number;
  readonly search: string;
  /** Whether the roots are at the bottom. */
  readonly upward?: boolean;
  readonly info: Signal<FlameInfo | null>;
  readonly searched?: (boxes: number, share: number) => void;
  readonly chosen: Signal<BoxInfo | null>;
  readonly open?: (box: BoxInfo) => void;
  readonly children?: ComponentChildren;
};
