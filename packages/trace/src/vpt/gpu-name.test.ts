// Software renderers by the names that browsers report.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSoftwareGpu } from './gpu-name.ts';

test('isSoftwareGpu recognizes the renderers on the CPU of each system', () => {
  const names = [
    'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver-5.0.0)',
    'Google SwiftShader',
    'llvmpipe (LLVM 15.0.7, 256 bits)',
    'Mesa softpipe',
    'Software Rasterizer',
    'Apple Software Renderer',
    'ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0)',
    'Microsoft WARP',
  ];
  for (const name of names) assert.equal(isSoftwareGpu(name), true, name);
});

test('isSoftwareGpu returns false for graphics processors and unknown names', () => {
  const names = [
    'ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 Direct3D11 vs_5_0 ps_5_0)',
    'Apple M2',
    'Mesa Intel(R) UHD Graphics 620 (KBL GT2)',
    'Adreno (TM) 650',
    'Warpdrive 9000',
    '',
  ];
  for (const name of names) assert.equal(isSoftwareGpu(name), false, name);
});
