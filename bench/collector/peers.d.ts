// Types for the used part of stats-gl. `npm ci` does not install it, and the type check must not need it.
declare module 'stats-gl' {
  class Stats {
    constructor(options: { trackGPU: boolean });
    readonly dom: HTMLElement;
    init(canvas: HTMLCanvasElement | OffscreenCanvas): Promise<void>;
    begin(): void;
    end(): void;
    update(): void;
  }

  // biome-ignore lint/style/noDefaultExport: stats-gl has a default export
  export { Stats as default };
}
