// JavaScript whose functions take known shares of their time: update 90 %, draw 10 %.
let sink = 0;

function spin(rounds) {
  for (let i = 0; i < rounds; i++) sink = (sink + i) | 0;
}

function update() {
  spin(900_000);
}

function draw() {
  spin(100_000);
}

function frameLoop() {
  const end = Date.now() + 500;
  while (Date.now() < end) {
    update();
    draw();
  }
  setImmediate(frameLoop);
}

console.log('up');
frameLoop();
