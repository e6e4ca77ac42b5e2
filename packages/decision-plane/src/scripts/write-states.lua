--[[ Part of decide: writes each charged key once. The expiry is set by the first write in a slot of time and kept by
the others; it outlasts the slot by the state's horizon and a second, so that no state expires while it matters. ]]
local function writeStates()
  local nowMs = floor(nowUs / 1000)
  local marks, expiriesMs = {}, {}
  for k, p in pairs(written) do
    local mark = marks[p]
    if not mark then
      local exponent = batch[p + 1]
      local slot = floor(nowMs / 2 ^ exponent)
      mark = format('%03.0f', exponent * 25 + slot % 25)
      marks[p], expiriesMs[p] = mark, (slot + 1) * 2 ^ exponent - nowMs + batch[p + 2] + 1000
    end
    local text = ALGORITHMS[batch[p]].encode(states[k]) .. mark
    if texts[k] and sub(texts[k], -3) == mark then
      redis.call('SET', keys[k], text, 'KEEPTTL')
    else
      redis.call('SET', keys[k], text, 'PX', expiriesMs[p])
    end
  end
end
