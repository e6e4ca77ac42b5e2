--[[ Part of hash-fields and run-packed, after a write to the packed hash `key`: with the first write of a window, deletes fields that
ended a window ago, except those of newer policies, and sets the expiry. A hash in constant use would keep every subject otherwise. Of a
hash that is too large to be compact, only some fields are read; then the next new field does the same. ]]
if setMs < expiresAtMs - windowMs / 2 then
  local longestMs, isKnown, size = windowMs, { [id] = true }, 4
  for carry = p + 7 + size, p + b[p] - 1, 3 + size do
    longestMs, isKnown[b[carry]] = math.max(longestMs, b[carry + 5]), true
  end
  -- A cursor of any value: a random part of a large hash.
  local found, ended = call('HSCAN', key, format('%.0f', nowUs), 'COUNT', 64), {}
  local isWhole = #found[2] == 2 * call('HLEN', key)
  for i = 1, #found[2], 2 do
    local startS, written = tonumber(sub(found[2][i + 1], -12, -4)), tonumber(sub(found[2][i + 1], -3)) or 0
    local writer = floor((written - 64) / 18)
    local isNewer = not isKnown[writer] and (writer - id) % 48 < 24
    if not isNewer and (not startS or startS * 1000 + 1577836800000 + 2 * longestMs <= nowMs) then
      ended[#ended + 1] = found[2][i]
    end
  end
  if #ended > 0 then
    call('HDEL', key, unpack(ended))
  end
  call('PEXPIREAT', key, isWhole and expiresAtMs or expiresAtMs - windowMs / 2 - 1)
end
