// The scene of the heap tests, which draws and refills a buffer in each frame, and the measurement of the heap.
import type { Page } from 'playwright-core';

/** Runs in the page: records, draws forever, and counts its frames in `frames`. */
export const HEAP_SCENE = `import * as svc from '@svc/collector';
    globalThis.svc = svc;
    const gl = document.getElementById('c').getContext('webgl2');
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, 'void main() { gl_Position = vec4(2); }'], [gl.FRAGMENT_SHADER, 'void main() { gl_FragColor = vec4(1); }']]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    const data = new Float32Array(1024);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    svc.start();
    globalThis.frames = 0;
    (function frame() {
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, data);
      for (let draw = 0; draw < 50; draw++) gl.drawArrays(gl.TRIANGLES, 0, 3);
      frames++;
      requestAnimationFrame(frame);
    })();`;

/** The size of the heap and of the trace in it, in bytes. */
export async function measureHeap(page: Page): Promise<{ used: number; kept: number }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.detach();
  return { used: usedSize, kept: await page.evaluate<number>('svc.status().bytes') };
}
