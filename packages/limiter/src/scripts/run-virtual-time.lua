#!lua
--[[ run-virtual-time: gcra, token_bucket (continuous) and leaky_bucket. The usage is the time from now to the theoretical arrival time, us.
Twin of parts/algorithms/virtual-time.lua, without functions. ]]
--@include constants
--@include run-head
--@include keys | keys-across

local now = nowUs - EPOCH_US
while at < last do
--@include run-policy
  at, done = p + batch[p + SIZE], final
  local throttleUs, intervalUs = batch[parameters + THROTTLE_US], batch[parameters + INTERVAL_US]
  local reachUs, bandUs = batch[parameters + REACH_US], batch[parameters + BAND_US]
  local neededUs, allowedUs = intervalUs * cost, reachUs + throttleUs
  for k = first, final do
    local text, tat, usedUs, isCurrent = texts[k], nil, 0, false
    if text then
      local number = tonumber(text)
      isCurrent = sub(text, -3) == mark
      local isOwn = isCurrent
      if not isCurrent then
        local x, y, z = byte(text, -3, -1)
        isOwn = z ~= nil and floor((x * 100 + y * 10 + z - MARK_BASE) / PERIODS) == id
      end
      if not isOwn or not number or number <= 0 or number >= MAX_ARRIVAL then
        usedUs = -1
      else
        tat = floor(number / MARK_SCALE)
        usedUs = tat - now
        if usedUs < 0 or usedUs > 2 * bandUs then
          usedUs = 0
        end
      end
    end
    reply[k + 1] = usedUs
    local nextUs = usedUs + neededUs
    if usedUs >= 0 and cost > 0 and nextUs <= allowedUs and (not marked or marked(k)) then
      if nextUs > bandUs then
        nextUs = bandUs
      end
      local nextTat = now + nextUs
      local added = isCurrent and nextTat - tat or -1
      -- INCRBY takes a fifth of a SET. If the stored text is not an integer to Redis, it is replaced.
      if added < 0 or added >= MAX_PRINTED or type(pcall('INCRBY', keys[k], format('%d000', added))) ~= 'number' then
        local high = floor(nextTat / ARRIVAL_HALF)
        call('SET', keys[k], format('%d%08d%s', high, nextTat - high * ARRIVAL_HALF, mark), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
