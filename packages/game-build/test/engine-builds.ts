// Complete builds in the shape that engines and bundlers export, with minimal content. No file that they load is missing.
import { gzipSync } from 'node:zlib';
import { PNG, WASM } from './describe-builds.ts';

type Files = Readonly<Record<string, string | Buffer>>;

const UNITY_PAGE = `<!DOCTYPE html>
<html lang="en-us">
  <head>
    <link rel="shortcut icon" href="TemplateData/favicon.ico">
    <link rel="stylesheet" href="TemplateData/style.css">
    <link rel="manifest" href="manifest.webmanifest">
  </head>
  <body>
    <canvas id="unity-canvas" tabindex="-1"></canvas>
    <script>
      var buildUrl = "Build";
      var loaderUrl = buildUrl + "/game.loader.js";
      var config = {
        dataUrl: buildUrl + "/game.data.unityweb",
        frameworkUrl: buildUrl + "/game.framework.js.unityweb",
        codeUrl: buildUrl + "/game.wasm.unityweb",
        streamingAssetsUrl: "StreamingAssets",
      };
      if ("serviceWorker" in navigator) navigator.serviceWorker.register("ServiceWorker.js");
      var script = document.createElement("script");
      script.src = loaderUrl;
      script.onload = () => { createUnityInstance(document.querySelector("#unity-canvas"), config); };
      document.body.appendChild(script);
    </script>
  </body>
</html>`;

const GODOT_PAGE = `<!DOCTYPE html>
<html><head>
<style>body { background-color: #000; } #status-splash { background-image: none; }</style>
<link id="-gd-engine-icon" rel="icon" href="index.icon.png" />
<link rel="apple-touch-icon" href="index.apple-touch-icon.png"/>
</head><body>
<noscript>Your browser does not support JavaScript. <img src="no-script.png"></noscript>
<img id="status-splash" src="index.png" alt="">
<script src="index.js"></script>
<script>
const GODOT_CONFIG = {"executable":"index","fileSizes":{"index.pck":100,"index.wasm":8},"serviceWorker":"index.service.worker.js"};
const engine = new Engine(GODOT_CONFIG);
</script></body></html>`;

/** `\u0060` keeps quotes and slashes of regular expressions apart, as minifiers write them. */
const MINIFIED =
  'const a=/["\'\u0060/]/g,b=e=>e.replace(a,"")/2,c=()=>import("./extra-Bc6XgqA2.js");var d="import x from \'./none.js\'";export{a as f,b as n};';

export const ENGINE_BUILDS: Readonly<Record<string, Files>> = {
  'Unity WebGL': {
    'index.html': UNITY_PAGE,
    'manifest.webmanifest': '{"icons":[{"src":"TemplateData/icons/none.png"}]}',
    'ServiceWorker.js':
      'const contentToCache = ["Build/game.loader.js", "TemplateData/style.css", "TemplateData/none.css"];',
    'Build/game.loader.js':
      'function createUnityInstance(t,n){var e=document.createElement("script");e.src=n.frameworkUrl}',
    'Build/game.framework.js.unityweb': gzipSync(
      'function unityFramework(){var _scriptDir;if(typeof importScripts==="function"){importScripts(_scriptDir)}}',
    ),
    'Build/game.data.unityweb': gzipSync('data'),
    'Build/game.wasm.unityweb': gzipSync(WASM),
    'TemplateData/favicon.ico': 'icon',
    'TemplateData/style.css':
      '#unity-logo { background: url(\'unity-logo-dark.png\') no-repeat center }\n#bar { background: url("bar.png") }',
    'TemplateData/unity-logo-dark.png': PNG,
    'TemplateData/bar.png': PNG,
  },
  'Godot HTML5': {
    'index.html': GODOT_PAGE,
    'index.js':
      'const Engine=(function(){const preload=["none.js"];return class{}})();var Godot=(()=>{var _scriptName=document.currentScript?.src;return async function(){new Worker("none.worker.js")}})();',
    'index.service.worker.js':
      'const CACHED_FILES = ["index.html","index.js","index.offline.html"];',
    'index.audio.worklet.js': '// import "./none.js"\nregisterProcessor("godot", class {});',
    'index.wasm': WASM,
    'index.pck': 'GDPC',
    'index.png': PNG,
    'index.icon.png': PNG,
    'index.apple-touch-icon.png': PNG,
  },
  'Phaser with Vite': {
    'index.html': `<!doctype html><html><head>
<script type="module" crossorigin src="./assets/index-kWUEFDCm.js"></script>
<link rel="modulepreload" crossorigin href="./assets/phaser-DkZ3xQ9p.js">
<link rel="stylesheet" crossorigin href="./assets/index-Bc6XgqA2.css"></head><body></body></html>`,
    'assets/index-kWUEFDCm.js': `import{n as t}from"./phaser-DkZ3xQ9p.js";const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./none.js","./none.css"])))=>i.map(i=>d[i]);this.load.image("hero","art/none.png");new Worker(new URL(""+new URL("worker-a1b2c3d4.js",import.meta.url).href,import.meta.url));`,
    'assets/phaser-DkZ3xQ9p.js': MINIFIED,
    'assets/extra-Bc6XgqA2.js': 'export default 1',
    'assets/worker-a1b2c3d4.js': 'onmessage=()=>{}',
    'assets/index-Bc6XgqA2.css':
      '@font-face{font-family:A;src:url(a.eot);src:url(a.eot?#iefix)format("embedded-opentype"),url(a.woff2)format("woff2")}a{background:url("data:image/svg+xml,%3Csvg/%3E")}',
    'assets/a.woff2': 'font',
  },
  Construct: {
    'index.html': `<!DOCTYPE html><html><head>
<meta name="generator" content="Scirra Construct">
<link rel="manifest" href="appmanifest.json">
<link rel="apple-touch-icon" sizes="128x128" href="icons/icon-128.png">
<link rel="icon" type="image/png" href="icons/icon-512.png">
<link rel="stylesheet" href="style.css">
</head><body><div id="fb-root"></div>
<script>if (location.protocol.startsWith("file")) { alert("Web exports won't work until you upload them."); }</script>
<noscript><div id="notSupportedWrap"></div></noscript>
<script src="scripts/supportcheck.js"></script>
<script src="scripts/offlineclient.js" type="module"></script>
<script src="scripts/main.js" type="module"></script>
<script src="scripts/register-sw.js" type="module"></script></body></html>`,
    'appmanifest.json': '{}',
    'style.css': 'html { background: #000 }',
    'icons/icon-128.png': PNG,
    'icons/icon-512.png': PNG,
    'scripts/supportcheck.js': 'var isOk = !0;',
    'scripts/offlineclient.js': 'window.C3_RegisterSW = async function(){}',
    'scripts/main.js': 'import"./c3main.js";const w="scripts/dispatchworker.js";',
    'scripts/c3main.js':
      'self.runtime=new class{url(){return new URL("scripts/jobworker.js",location.href)}};',
    'scripts/dispatchworker.js': 'let q=[];',
    'scripts/jobworker.js': 'importScripts(["a.js"]);',
    'scripts/register-sw.js': 'C3_RegisterSW();',
  },
  'PICO-8': {
    'index.html': `<html><head><style>#p8_frame { background: url("data:image/png;base64,AAAA") }</style></head><body>
<script type="text/javascript">
var pico8_state = [];
function p8_run_cart() { var e = document.createElement("script"); e.src = "game.js"; document.body.appendChild(e); }
document.write('<img src="none.png"><script src="none.js"><\\/script>');
</script><canvas></canvas></body></html>`,
    'game.js': 'var _cartname=["none.p8"];var codo_command=0;var re=/[/"]/;',
  },
  GameMaker: {
    'index.html': `<!DOCTYPE html><html><head>
<style>body { background: #000 } div.gm4html5_login { --unused: url(none.png) }</style></head>
<body><canvas id="canvas"></canvas>
<script type="text/javascript" src="html5game/Game.js?XPTBG=1234567"></script>
<script>window.onload = GameMaker_Init;</script></body></html>`,
    'html5game/Game.js': 'function GameMaker_Init(){var t="html5game/none.png"}',
    'html5game/snd_hop.ogg': 'OggS',
  },
  'three.js with an import map': {
    'index.html': `<!DOCTYPE html><html><body>
<script type="importmap">
{ "imports": { "three": "./node_modules/three/build/three.module.js", "three/addons/": "./node_modules/three/examples/jsm/", "stats": "https://cdn.example/stats.js" } }
</script>
<script type="module" src="main.js"></script></body></html>`,
    'main.js': `import * as THREE from 'three';
import Stats from 'stats';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
new THREE.TextureLoader().load('none.png');`,
    'node_modules/three/build/three.module.js':
      "import { A } from './three.core.js'; export { A };",
    'node_modules/three/build/three.core.js': 'export const A = 1;',
    'node_modules/three/examples/jsm/controls/OrbitControls.js':
      "import { A } from 'three';\nexport class OrbitControls {}",
    // Files that the page does not use.
    'node_modules/three/examples/jsm/loaders/Unused.js': "import '../libs/none.js';",
    'node_modules/three/docs/index.html': '<script src="none.js"></script>',
    'src/main.ts': "import './none';",
  },
  'RPG Maker': {
    'index.html': `<!DOCTYPE html><html><head>
<link rel="icon" href="icon/icon.png" type="image/png">
<link rel="stylesheet" type="text/css" href="fonts/gamefont.css"></head><body style="background-color: black">
<script type="text/javascript" src="js/libs/pixi.js"></script>
<script type="text/javascript" src="js/main.js"></script></body></html>`,
    'icon/icon.png': PNG,
    'fonts/gamefont.css': '@font-face { font-family: GameFont; src: url("mplus.ttf"); }',
    'fonts/mplus.ttf': 'font',
    'js/libs/pixi.js': 'var PIXI = {};',
    'js/main.js': 'const scriptUrls = ["js/libs/none.js", "js/rmmz_core.js"];',
  },
};
