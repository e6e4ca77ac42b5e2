--[[ Part of decide: writes each charged key once. Setting an expiry on every write costs a third of the throughput, so
time is cut into slots of 2^exponent ms, an eighth to a sixteenth of the state's horizon (policy/ttl-slot.ts): the first
write in a slot sets an expiry that outlasts the slot by the horizon and one slot more, the others keep it. The mark after
each state holds the exponent and the slot modulo 18: a key that is not written lives into the 17th slot after its mark's at
most, so a mark never means two slots. ]]
local nowMs = floor(nowUs / 1000)
local marks = {}
for k = 1, #keys do
  local p = written[k]
  if p then
    local mark = marks[p]
    if not mark then
      local exponent = batch[p + 1]
      local slot = floor(nowMs / 2 ^ exponent)
      local text = format('%d', 200 + exponent * 18 + slot % 18)
      local x, y, z = byte(text, 1, 3)
      mark = { text = text, x = x, y = y, z = z, expiryMs = (slot + 2) * 2 ^ exponent - nowMs + batch[p + 2] }
      marks[p] = mark
    end
    local text, isMarked = ALGORITHMS[batch[p]].encode(states[k], mark.text), false
    if texts[k] then
      -- Bytes, not a substring: that would be a new string for each key.
      local x, y, z = byte(texts[k], -3, -1)
      isMarked = z == mark.z and y == mark.y and x == mark.x
    end
    if isMarked then
      redis.call('SET', keys[k], text, 'KEEPTTL')
    else
      redis.call('SET', keys[k], text, 'PX', mark.expiryMs)
    end
  end
end
