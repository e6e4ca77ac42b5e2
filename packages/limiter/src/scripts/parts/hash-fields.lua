--[[ Part of decide and amend: counters that are fields of hashes. A counter's name is its key or, for a field, key, `|` and field
(rules/keys.ts). Assigns the functions to locals that the script declares, because few runs need them. ]]

-- Text of a field; false if there is none.
readField = function(key, field)
  local text = redis.pcall('HGET', key, field)
  return type(text) == 'string' and text
end

-- Writes a field under the policy at `p` of `b`, and sets the hash's expiry. `mark`: the policy's. `isNewer`: the text has the mark of
-- a newer policy.
writeField = function(key, field, text, isNewer, mark, b, p)
  if type(redis.pcall('HSET', key, field, text)) ~= 'number' then
    redis.call('DEL', key)
    redis.call('HSET', key, field, text)
  end
  local call, nowMs, expiresAtMs, setMs = redis.call, floor(nowUs / 1000), mark.expiresAtMs, redis.call('PEXPIRETIME', key)
  if b[p + 1] ~= PACKED or isNewer then
    -- Other limits or policies may have set a later expiry.
    if setMs < expiresAtMs then
      call('PEXPIREAT', key, expiresAtMs)
    end
  else
    local windowMs, id = b[p + 9], b[p + 3]
--@include sweep
  end
end
