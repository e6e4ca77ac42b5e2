#!lua
--[[ run-virtual-time: gcra, token_bucket (continuous) and leaky_bucket. The usage is the time from now to the theoretical arrival time, us.
Twin of parts/algorithms/virtual-time.lua, without functions. ]]
--@include run-head
--@include keys | keys-across

local EPOCH_US = 1577836800000000
local now = nowUs - EPOCH_US
while at < last do
--@include run-policy
  local intervalUs, reachUs, bandUs = batch[p + 8], batch[p + 9], batch[p + 10]
  local neededUs, allowedUs = intervalUs * cost, reachUs + batch[p + 7]
  for k = first, done do
    local text, tat, usedUs, isCurrent = texts[k], nil, 0, false
    if text then
      local number = tonumber(text)
      isCurrent = sub(text, -3) == mark
      local isOwn = isCurrent
      if not isCurrent then
--@include run-own
      end
      if not isOwn or not number or number <= 0 or number >= 1e19 then
        usedUs = -1
      else
        tat = floor(number / 1000)
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
      if added < 0 or added >= 2147483648 or type(pcall('INCRBY', keys[k], format('%d000', added))) ~= 'number' then
        local high = floor(nextTat / 100000000)
        call('SET', keys[k], format('%d%08d%s', high, nextTat - high * 100000000, mark), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
