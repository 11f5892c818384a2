// The drawing interface of charts. A pen draws on a canvas or writes SVG, so that an export equals the chart.

type Align = 'left' | 'center' | 'right';

/** Positions are in CSS pixels with y downwards. Colours are CSS colours. */
export type Pen = {
  rect(x: number, y: number, width: number, height: number, fill: string): void;
  /** A line through the points. NaN in `ys` interrupts it. A point without neighbours is drawn as a dot. */
  line(xs: readonly number[], ys: readonly number[], stroke: string, width: number): void;
  /** The area between the points and `base`. NaN in `ys` interrupts it. */
  area(xs: readonly number[], ys: readonly number[], base: number, fill: string): void;
  /** `y` is the vertical middle of the text. */
  text(x: number, y: number, text: string, fill: string, size: number, align?: Align): void;
  /** Clips what `draw` draws to the rectangle. */
  clip(x: number, y: number, width: number, height: number, draw: () => void): void;
};

const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';

/** A pen on a canvas whose transform already maps CSS pixels. */
export function canvasPen(context: CanvasRenderingContext2D): Pen {
  return {
    rect(x, y, width, height, fill) {
      context.fillStyle = fill;
      context.fillRect(x, y, width, height);
    },
    line(xs, ys, stroke, width) {
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.lineJoin = 'round';
      context.beginPath();
      for (const run of runs(ys)) {
        context.moveTo(xs[run.from] ?? 0, ys[run.from] ?? 0);
        for (let i = run.from + 1; i < run.to; i++) context.lineTo(xs[i] ?? 0, ys[i] ?? 0);
      }
      context.stroke();
      context.fillStyle = stroke;
      for (const dot of dots(xs, ys, width)) context.fillRect(dot.x, dot.y, dot.size, dot.size);
    },
    area(xs, ys, base, fill) {
      context.fillStyle = fill;
      context.beginPath();
      for (const run of runs(ys)) {
        context.moveTo(xs[run.from] ?? 0, base);
        for (let i = run.from; i < run.to; i++) context.lineTo(xs[i] ?? 0, ys[i] ?? 0);
        // `fill` closes each part. `closePath` would walk the whole path each time.
        context.lineTo(xs[run.to - 1] ?? 0, base);
      }
      context.fill();
    },
    text(x, y, text, fill, size, align = 'left') {
      context.fillStyle = fill;
      context.font = `${size}px ${FONT}`;
      context.textAlign = align;
      context.textBaseline = 'middle';
      context.fillText(text, x, y);
    },
    clip(x, y, width, height, draw) {
      context.save();
      context.beginPath();
      context.rect(x, y, width, height);
      context.clip();
      draw();
      context.restore();
    },
  };
}

/** A pen that writes SVG. `finish` returns the file. */
export function svgPen(width: number, height: number, ground: string): Pen & { finish(): string } {
  const parts: string[] = [];
  let clips = 0;
  return {
    rect(x, y, w, h, fill) {
      if (w > 0 && h > 0)
        parts.push(
          `<rect x="${at(x)}" y="${at(y)}" width="${at(w)}" height="${at(h)}" fill="${escapeXml(fill)}"/>`,
        );
    },
    line(xs, ys, stroke, thick) {
      const d = runs(ys)
        .filter((run) => run.to - run.from > 1)
        .map((run) => `M${points(xs, ys, run)}`)
        .join('');
      if (d !== '')
        parts.push(
          `<path d="${d}" fill="none" stroke="${escapeXml(stroke)}" stroke-width="${thick}" stroke-linejoin="round"/>`,
        );
      for (const dot of dots(xs, ys, thick)) this.rect(dot.x, dot.y, dot.size, dot.size, stroke);
    },
    area(xs, ys, base, fill) {
      const d = runs(ys)
        .map(
          (run) =>
            `M${at(xs[run.from] ?? 0)},${at(base)}L${points(xs, ys, run)}L${at(xs[run.to - 1] ?? 0)},${at(base)}Z`,
        )
        .join('');
      if (d !== '') parts.push(`<path d="${d}" fill="${escapeXml(fill)}"/>`);
    },
    text(x, y, text, fill, size, align = 'left') {
      const anchor = { left: 'start', center: 'middle', right: 'end' }[align];
      parts.push(
        `<text x="${at(x)}" y="${at(y)}" fill="${escapeXml(fill)}" font-size="${size}" text-anchor="${anchor}" dominant-baseline="central">${escapeXml(text)}</text>`,
      );
    },
    clip(x, y, w, h, draw) {
      const id = `c${clips++}`;
      parts.push(
        `<clipPath id="${id}"><rect x="${at(x)}" y="${at(y)}" width="${at(w)}" height="${at(h)}"/></clipPath><g clip-path="url(#${id})">`,
      );
      draw();
      parts.push('</g>');
    },
    finish() {
      return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escapeXml(FONT)}"><rect width="100%" height="100%" fill="${escapeXml(ground)}"/>${parts.join('\n')}</svg>\n`;
    },
  };
}

type Run = { readonly from: number; readonly to: number };

/** The ranges of `ys` without NaN. */
function runs(ys: readonly number[]): Run[] {
  const found: Run[] = [];
  let from = -1;
  for (let i = 0; i <= ys.length; i++) {
    const there = i < ys.length && !Number.isNaN(ys[i]);
    if (there && from < 0) from = i;
    if (!there && from >= 0) {
      found.push({ from, to: i });
      from = -1;
    }
  }
  return found;
}

/** Squares for values without neighbours, large enough to be visible. */
function dots(
  xs: readonly number[],
  ys: readonly number[],
  thick: number,
): { x: number; y: number; size: number }[] {
  const size = Math.max(3, thick * 2);
  return runs(ys)
    .filter((run) => run.to - run.from === 1)
    .map(({ from }) => ({ x: (xs[from] ?? 0) - size / 2, y: (ys[from] ?? 0) - size / 2, size }));
}

function points(xs: readonly number[], ys: readonly number[], run: Run): string {
  const list: string[] = [];
  for (let i = run.from; i < run.to; i++) list.push(`${at(xs[i] ?? 0)},${at(ys[i] ?? 0)}`);
  return list.join('L');
}

function at(value: number): string {
  return String(Math.round(value * 100) / 100);
}

// XML does not allow control characters, not even escaped.
function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML forbids
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  );
}
