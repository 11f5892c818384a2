// The part of stats-gl that its page uses: peers are not installed by `npm ci`, and the check must not need them.
declare module 'stats-gl' {
  class Stats {
    constructor(options: { trackGPU: boolean });
    readonly dom: HTMLElement;
    init(canvas: HTMLCanvasElement | OffscreenCanvas): Promise<void>;
    begin(): void;
    end(): void;
    update(): void;
  }

  // biome-ignore lint/style/noDefaultExport: it is how the peer exports it
  export { Stats as default };
}
