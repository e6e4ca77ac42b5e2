#!lua
--[[ run-first-request: fixed_window that starts at the first request. The usage is the count of the current window times its length, plus
the time since its start, ms. Twin of parts/algorithms/fixed-window.lua, without functions. ]]
--@include run-head
--@include keys | keys-across

local EPOCH_MS = 1577836800000
local now, maxUsage = nowMs - EPOCH_MS, 2 ^ 53
while at < last do
--@include run-policy
  local most, windowMs = batch[p + 7] + batch[p + 8], batch[p + 9]
  local added = format('%d000000000000000', cost)
  for k = first, done do
    local text, used, elapsedMs, isCurrent = texts[k], 0, 0, false
    if text then
      local stored = tonumber(sub(text, -15, -4))
      used, isCurrent = tonumber(sub(text, 1, -16)) or -1, sub(text, -3) == mark
      local isOwn = isCurrent
      if not isCurrent then
--@include run-own
      end
      if not isOwn or used < 0 or used ~= floor(used) or not stored or stored > now or stored ~= floor(stored) then
        used = -1
      else
        elapsedMs = now - stored
        if elapsedMs >= windowMs then
          used, elapsedMs, isCurrent = 0, 0, false
        elseif (used + 1) * windowMs > maxUsage then
          used = -1
        end
      end
    end
    reply[k + 1] = used < 0 and -1 or used * windowMs + elapsedMs
    local count = used + cost
    if used >= 0 and cost > 0 and count <= most and (not marked or marked(k)) then
      if not isCurrent or used == 0 or count > 9222 or type(pcall('INCRBY', keys[k], added)) ~= 'number' then
        local start = now - elapsedMs
        local high = floor(start / 1000000)
        -- %d prints three times as fast as %.0f, but may be limited to 32 bits.
        local shape = count < 2147483648 and '%d%06d%06d%s' or '%.0f%06d%06d%s'
        call('SET', keys[k], format(shape, count, high, start - high * 1000000, mark), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
