#!lua
--[[ run-first-request: fixed_window that starts at the first request. The usage is the count of the current window times its length, plus
the time since its start, ms. Twin of parts/algorithms/fixed-window.lua, without functions. ]]
--@include constants
--@include run-head
--@include keys | keys-across

local now = nowMs - EPOCH_MS
while at < last do
--@include run-policy
  at, done = p + batch[p + SIZE], final
  local most, windowMs = batch[parameters + EXTRA] + batch[parameters + CAPACITY], batch[parameters + WINDOW_MS]
  local added = format('%d000000000000000', cost)
  for k = first, final do
    local text, used, elapsedMs, isCurrent = texts[k], 0, 0, false
    if text then
      local stored = tonumber(sub(text, -15, -4))
      used, isCurrent = tonumber(sub(text, 1, -16)) or -1, sub(text, -3) == mark
      local isOwn = isCurrent
      if not isCurrent then
        local x, y, z = byte(text, -3, -1)
        isOwn = z ~= nil and floor((x * 100 + y * 10 + z - MARK_BASE) / PERIODS) == id
      end
      if not isOwn or used < 0 or used ~= floor(used) or not stored or stored > now or stored ~= floor(stored) then
        used = -1
      else
        elapsedMs = now - stored
        if elapsedMs >= windowMs then
          used, elapsedMs, isCurrent = 0, 0, false
        elseif (used + 1) * windowMs > MAX_EXACT then
          used = -1
        end
      end
    end
    reply[k + 1] = used < 0 and -1 or used * windowMs + elapsedMs
    local count = used + cost
    if used >= 0 and cost > 0 and count <= most and (not marked or marked(k)) then
      if not isCurrent or used == 0 or count > MAX_INCREMENTED or type(pcall('INCRBY', keys[k], added)) ~= 'number' then
        local start = now - elapsedMs
        local high = floor(start / START_HALF)
        local shape = count < MAX_PRINTED and '%d%06d%06d%s' or '%.0f%06d%06d%s'
        call('SET', keys[k], format(shape, count, high, start - high * START_HALF, mark), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
