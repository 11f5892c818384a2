// A minimal DOM with the features that the islands use: tree, attributes, events and simple selectors.

export class StandInElement extends EventTarget {
  readonly tag: string;
  readonly attributes = new Map<string, string>();
  readonly classes = new Set<string>();
  dataset: Record<string, string> = {};
  children: StandInElement[] = [];
  hidden = false;
  title = '';
  allow = '';
  allowFullscreen = false;
  src = '';
  href = '';
  alt = '';
  type = '';
  files: File[] | null = null;
  isOpen = false;
  #text = '';

  constructor(tag: string, fields: Partial<StandInElement> = {}, ...children: StandInElement[]) {
    super();
    this.tag = tag;
    Object.assign(this, fields);
    this.children = children;
  }

  readonly classList = {
    add: (name: string) => this.classes.add(name),
    remove: (name: string) => this.classes.delete(name),
    toggle: (name: string, isOn: boolean) =>
      isOn ? this.classes.add(name) : this.classes.delete(name),
  };

  set className(names: string) {
    for (const name of names.split(' ')) this.classes.add(name);
  }

  get childNodes(): StandInElement[] {
    return this.children;
  }

  get firstChild(): StandInElement | null {
    return this.children[0] ?? null;
  }

  get textContent(): string {
    return this.#text + this.children.map((child) => child.textContent).join('');
  }

  set textContent(text: string) {
    this.#text = text;
    this.children = [];
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  append(...more: StandInElement[]): void {
    this.children.push(...more);
  }

  replaceChildren(...children: StandInElement[]): void {
    this.children = [...children];
  }

  #matches(selector: string): boolean {
    const [, tag = '', rest = ''] = /^(\w*)(.*)$/.exec(selector) ?? [];
    if (tag !== '' && tag !== this.tag) return false;
    if (rest.startsWith('.')) return this.classes.has(rest.slice(1));
    const data = /^\[data-([\w-]+)\]$/.exec(rest)?.[1];
    if (data !== undefined) {
      return (
        this.dataset[data.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())] !== undefined
      );
    }
    const type = /^\[type=(\w+)\]$/.exec(rest)?.[1];
    return type === undefined || type === this.type;
  }

  querySelectorAll(selector: string): StandInElement[] {
    return this.children.flatMap((child) => [
      ...(child.#matches(selector) ? [child] : []),
      ...child.querySelectorAll(selector),
    ]);
  }

  querySelector(selector: string): StandInElement | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  focus(): void {
    StandInElement.focused = this;
  }

  showModal(): void {
    this.isOpen = true;
  }

  close(): void {
    this.isOpen = false;
    this.dispatchEvent(new Event('close'));
  }

  /** Dispatches an event. Returns whether its default action was prevented. */
  send(type: string, fields: Record<string, unknown> = {}): boolean {
    const held = { ctrlKey: false, metaKey: false, shiftKey: false };
    return !this.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), held, fields));
  }

  /** The element that has the focus. */
  static focused: StandInElement | null = null;

  /** This element with the type of a browser's element. */
  get element(): HTMLElement {
    return this as unknown as HTMLElement;
  }
}

/** The document's body. The global `document` creates elements and finds those in the body. */
export const body = new StandInElement('body');

Object.assign(globalThis, {
  HTMLDialogElement: StandInElement,
  window: { crossOriginIsolated: false },
  document: {
    body,
    fullscreenEnabled: true,
    createElement: (tag: string) => new StandInElement(tag),
    querySelector: (selector: string) => body.querySelector(selector),
    querySelectorAll: (selector: string) => body.querySelectorAll(selector),
  },
});
