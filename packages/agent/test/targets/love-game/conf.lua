function love.conf(t)
  t.window.width, t.window.height, t.window.vsync = 320, 240, 0
  t.modules.audio, t.modules.joystick, t.modules.physics, t.modules.sound = false, false, false, false
end
