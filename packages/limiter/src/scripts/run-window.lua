#!lua
--[[ run-window: fixed_window aligned to the clock. The usage is the count of the current window. Twin of parts/algorithms/fixed-window.lua,
without functions. ]]
--@include constants
--@include run-head
--@include keys | keys-across

while at < last do
--@include run-policy
  at, done = p + batch[p + SIZE], final
  local most, windowMs = batch[parameters + EXTRA] + batch[parameters + CAPACITY], batch[parameters + WINDOW_MS]
  local start = nowMs - nowMs % windowMs - EPOCH_MS
  local high = floor(start / START_HALF)
  -- The end of the text of a state of this window, written in this TTL period.
  local tail = format('%06d%06d%s', high, start - high * START_HALF, mark)
  local added = format('%d000000000000000', cost)
  for k = first, final do
    local text, used, isCurrent = texts[k], 0, false
    if text then
      isCurrent = sub(text, -15) == tail
      used = tonumber(sub(text, 1, -16)) or -1
      if used < 0 or used ~= floor(used) then
        used = -1
      elseif not isCurrent then
        local stored, isOwn = tonumber(sub(text, -15, -4)), false
        local x, y, z = byte(text, -3, -1)
        isOwn = z ~= nil and floor((x * 100 + y * 10 + z - MARK_BASE) / PERIODS) == id
        if not isOwn or not stored or stored > start or stored ~= floor(stored) then
          used = -1
        elseif stored < start then
          used = 0
        end
      end
    end
    reply[k + 1] = used
    local count = used + cost
    if used >= 0 and cost > 0 and count <= most and (not marked or marked(k)) then
      if not isCurrent or used == 0 or count > MAX_INCREMENTED or type(pcall('INCRBY', keys[k], added)) ~= 'number' then
        local shape = count < MAX_PRINTED and '%d%s' or '%.0f%s'
        call('SET', keys[k], format(shape, count, tail), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
