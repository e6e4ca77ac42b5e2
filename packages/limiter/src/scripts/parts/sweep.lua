--[[ Part of hash-fields and run-packed: cleans a packed hash. A hash in constant use would keep every subject otherwise. ]]

-- Fields to read: all of a compact hash.
local READ_FIELDS <const> = 64

-- After a write to the hash `key` under the policy at `p` of `b`: with the first write of a window, deletes fields that ended a window
-- ago, except those of newer policies, and sets the expiry. Of a hash that is too large to be compact, only some fields are read; then the
-- next new field does the same. `setMs`: its expiry until now; `expiresAtMs`: that of this window.
local function sweep(key, setMs, expiresAtMs, b, p, nowUs)
  local call, nowMs, id, windowMs = redis.call, floor(nowUs / 1000), b[p + ID], b[p + PARAMETERS + WINDOW_MS]
  if setMs >= expiresAtMs - windowMs / 2 then
    return
  end
  local longestMs, isKnown, size = windowMs, { [id] = true }, ALIGNED + 1
  for carry = p + PARAMETERS + size, p + b[p + SIZE] - 1, CARRY_PARAMETERS + size do
    longestMs = math.max(longestMs, b[carry + CARRY_PARAMETERS + WINDOW_MS])
    isKnown[b[carry + CARRY_ID]] = true
  end
  -- A cursor of any value: a random part of a large hash.
  local next, found = unpack(call('HSCAN', key, format('%.0f', nowUs), 'COUNT', READ_FIELDS))
  local isWhole, ended = #found == 2 * call('HLEN', key), {}
  for i = 1, #found, 2 do
    local field, text = found[i], found[i + 1]
    local startS, written = tonumber(sub(text, -12, -4)), tonumber(sub(text, -3)) or 0
    local writer = floor((written - LEAST_MARK) / PERIODS)
    local isNewer = not isKnown[writer] and (writer - id) % IDS < IDS / 2
    if not isNewer and (not startS or startS * 1000 + EPOCH_MS + 2 * longestMs <= nowMs) then
      ended[#ended + 1] = field
    end
  end
  if #ended > 0 then
    call('HDEL', key, unpack(ended))
  end
  call('PEXPIREAT', key, isWhole and expiresAtMs or expiresAtMs - windowMs / 2 - 1)
end
