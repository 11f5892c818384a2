// A stand-in for an element: its position on the page, and its events.

type Pointed = {
  readonly x?: number;
  readonly y?: number;
  readonly [field: string]: unknown;
};

/** An element at 100, 50 on the page. Events are given by their position in the element. */
export class StandInElement extends EventTarget {
  readonly width: number;
  captured: number[] = [];
  focused = 0;

  constructor(width: number) {
    super();
    this.width = width;
  }

  getBoundingClientRect(): { left: number; top: number; width: number } {
    return { left: 100, top: 50, width: this.width };
  }

  setPointerCapture(id: number): void {
    this.captured.push(id);
  }

  focus(): void {
    this.focused++;
  }

  /** Sends an event. Returns true if the page prevented the default. */
  send(type: string, { x = 0, y = 30, ...fields }: Pointed = {}): boolean {
    const event = new Event(type, { cancelable: true, bubbles: true });
    const place = { clientX: x + 100, clientY: y + 50 };
    const held = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
    const pointer = { button: 0, pointerId: 1, pointerType: 'mouse', deltaX: 0, deltaY: 0 };
    Object.assign(event, place, held, pointer, fields);
    return !this.dispatchEvent(event);
  }

  /** Presses a key. Returns true if the page prevented the default. */
  press(key: string, held: Pointed = {}): boolean {
    return this.send('keydown', { key, ...held });
  }

  /** This object, typed as the browser's class. */
  get element(): HTMLElement {
    return this as unknown as HTMLElement;
  }
}
