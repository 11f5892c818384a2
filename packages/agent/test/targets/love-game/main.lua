-- A game that draws frames on command. A command is a list of frames, and before each one `sleep:MS` waits and `work:MS` uses
-- the CPU. The answer has the time before and after each call that presents, in nanoseconds, and `done`.

local function load_level(ms)
  local ending = love.timer.getTime() + ms / 1000
  repeat until love.timer.getTime() >= ending
end

local function nanoseconds()
  return ('%.0f'):format(love.timer.getTime() * 1e9)
end

local function draw(frame)
  local way, ms = frame:match('^(%l+):(%d+)$')
  if way == 'work' then
    load_level(ms)
  else
    love.timer.sleep(ms / 1000)
  end
  love.event.pump()
  love.graphics.clear(0, 0.5, 0.5)
  love.graphics.rectangle('fill', 10, 10, 50, 50)
  local before = nanoseconds()
  love.graphics.present()
  return before .. ' ' .. nanoseconds() .. ' '
end

function love.run()
  return function()
    local command = io.read()
    if command == nil then return 0 end
    for frame in command:gmatch('%S+') do io.write(draw(frame)) end
    print('done')
    io.flush()
  end
end
