#!lua
--[[ run-window: fixed_window aligned to the clock. The usage is the count of the current window. Twin of parts/algorithms/fixed-window.lua,
without functions. ]]
--@include run-head
--@include keys | keys-across

local EPOCH_MS = 1577836800000
while at < last do
--@include run-policy
  local most, start = batch[p + 7] + batch[p + 8], nowMs - nowMs % batch[p + 9] - EPOCH_MS
  local high = floor(start / 1000000)
  -- The end of the text of a state of this window, written in this TTL period.
  local tail = format('%06d%06d%s', high, start - high * 1000000, mark)
  local added = format('%d000000000000000', cost)
  for k = first, done do
    local text, used, isCurrent = texts[k], 0, false
    if text then
      isCurrent = sub(text, -15) == tail
      used = tonumber(sub(text, 1, -16)) or -1
      if used < 0 or used ~= floor(used) then
        used = -1
      elseif not isCurrent then
        local stored, isOwn = tonumber(sub(text, -15, -4)), false
--@include run-own
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
      if not isCurrent or used == 0 or count > 9222 or type(pcall('INCRBY', keys[k], added)) ~= 'number' then
        -- %d prints three times as fast as %.0f, but may be limited to 32 bits.
        local shape = count < 2147483648 and '%d%s' or '%.0f%s'
        call('SET', keys[k], format(shape, count, tail), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
