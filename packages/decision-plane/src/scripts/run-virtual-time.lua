--[[ run-virtual-time: gcra, token_bucket (continuous) and leaky_bucket. The usage is the time from now to the theoretical arrival time, us.
Twin of parts/algorithms/virtual-time.lua, without function calls per request. ]]
--@include run-head

local EPOCH_US = 1577836800000000
local now, at, done = nowUs - EPOCH_US, 1, 0
while at < last do
  local cost, requests, p = batch[at], batch[at + 1], at + 2
  local id, throttledUs, intervalUs, reachUs, bandUs = batch[p + 3], batch[p + 7], batch[p + 8], batch[p + 9], batch[p + 10]
  local mark, neededUs, allowedUs = markOf(batch, p, nowUs), intervalUs * cost, reachUs + throttledUs
  local markText, expiryMs = mark.text, mark.expiryMs
  for k = done + 1, done + requests do
    local text, tat, usedUs, isCurrent = texts[k], nil, 0, false
    if text then
      local number = tonumber(text)
      isCurrent = sub(text, -3) == markText
      if number and number > 0 and number < 1e19 and (isCurrent or hasMarkOf(text, id)) then
        tat = floor(number / 1000)
        usedUs = tat - now
        if usedUs < 0 or usedUs > 2 * bandUs then
          usedUs = 0
        end
      else
        usedUs = -1
      end
    end
    reply[k + 1] = usedUs
    local nextUs = usedUs + neededUs
    if usedUs >= 0 and cost > 0 and nextUs <= allowedUs then
      if nextUs > bandUs then
        nextUs = bandUs
      end
      local nextTat = now + nextUs
      local added = isCurrent and nextTat - tat or -1
      -- INCRBY takes a fifth of a SET. If the stored text is not an integer to Redis, it is replaced.
      if added < 0 or added >= 2147483648 or type(pcall('INCRBY', keys[k], format('%d000', added))) ~= 'number' then
        local high = floor(nextTat / 100000000)
        call('SET', keys[k], format('%d%08d%s', high, nextTat - high * 100000000, markText), 'PX', expiryMs)
      end
    end
  end
  at, done = p + batch[p], done + requests
end
return cmsgpack.pack(reply)
